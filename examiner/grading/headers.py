"""The headers by which a class list's columns are known, by their letters alone (`letters`).

Moodle writes them in the language of whoever downloads the file: those of English, German, French
and Spanish are here, from its language packs and from files that it wrote. Leaves out reading the
rows (roster.py), and when work was handed in (examiner/term/times.py).
"""

IDS = (
    *("studentid", "studentnumber", "matriculationnumber", "matrikelnummer", "sid", "id"),
    *("idnumber", "username", "userid", "user", "login", "loginid", "netid"),
    *("idnummer", "anmeldename", "benutzername"),
    *("numerodidentification", "nomdutilisateur", "numerodeid", "nombredeusuario"),
)
NAMES = (
    *("name", "fullname", "studentname", "student"),
    *("vollstandigername", "nomcomplet", "nombrecompleto"),
)
FIRST = (
    *("firstname", "givenname", "forename", "first", "vorname", "prenom"),
    *("nombre", "nombres"),  # Moodle's "Nombre(s)"
)
LAST = (
    *("lastname", "surname", "familyname", "last", "nachname", "nom", "nomdefamille"),
    *("apellido", "apellidos"),
)
EMAILS = (
    *("email", "emailaddress", "mail", "mailaddress", "emailadresse"),
    *("courriel", "adressedecourriel", "adresseemail"),
    *("correo", "correoelectronico", "direcciondecorreo", "direcciondecorreoelectronico"),
)
CANVAS_IDS = ("sisuserid", "sisloginid")
ROLES = ("role", "roles", "rolle", "rollen", "coursrole", "courserole")

# Moodle's grading worksheet: whose a row is, "Participant 12345"
IDENTIFIERS = ("identifier", "id", "identifiant", "identificador")
GRADES = ("grade", "bewertung", "note", "calificacion")
MAXIMUM_GRADES = ("maximumgrade", "bestwertung", "notemaximale", "calificacionmaxima")
SCALES = ("scale", "skala", "bareme", "escala")  # words in place of points
COMMENTS = (
    *("feedbackcomments", "feedbackalskommentar", "feedbackparcommentaires"),
    "comentariosderetroalimentacion",
)
