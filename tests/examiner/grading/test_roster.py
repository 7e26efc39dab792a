"""Rosters: lists of a class as platforms export them, and as people write them."""

from pathlib import Path
from shutil import make_archive, rmtree

import pytest

from examiner.errors import UserError
from examiner.grading.entries import open_class
from examiner.grading.roster import read_roster
from examiner.grading.submissions import read
from examiner.grading.works import Entry
from examiner.results import Verdict
from examiner.term.corrections import Correction
from tests.examiner.grading.handed_out import laid_out, roster, zipped


@pytest.mark.parametrize(
    "text",
    [
        "id,name,e-mail\nada,Ada Lovelace,ada@example.org\n",
        "\ufeffStudent ID;First Name;Surname;Mail\r\nada;Ada;Lovelace;ada@example.org\r\n",
        "id,last_name,first_name,email,lms_user_id\nada,Lovelace,Ada,ada@example.org,501\n",
        "First name,Last name,ID number,Email address\nAda,Lovelace,ada,ada@example.org\n",
        "Identifier,Full name,ID number,Email address,Status\n"
        "Participant 11,Ada Lovelace,ada,ada@example.org,Submitted\n",
        "Student,ID,SIS User ID,SIS Login ID,Section,ngrams\n    Points Possible,,,,,58\n"
        '"Lovelace, Ada",501,ada,ada.l,S1,\n"Student, Test",9,,,S1,\n',
        "sep=\t\r\nName\tUsername\tMail\nAda Lovelace\tada\tada@example.org\n",
        'ID,"Vollständiger Name",ID-Nummer,E-Mail-Adresse,Status\n'
        "Teilnehmer/in11,Ada Lovelace,ada,ada@example.org,Zur Bewertung abgegeben\n",
        "Vorname;Nachname;ID-Nummer;E-Mail-Adresse\nAda;Lovelace;ada;ada@example.org\n",
        "Name;Vorname;Matrikelnummer\nLovelace;Ada;ada\n",
        "Identifiant,Nom complet,Numéro d'identification,Adresse de courriel,Statut\n"
        "Participant 11,Ada Lovelace,ada,ada@example.org,Remis pour évaluation\n",
        "Prénom,Nom de famille,Numéro d’identification\nAda,Lovelace,ada\n",
        "Identifiant;Nom;Prénom;Courriel\nada;Lovelace;Ada;ada@example.org\n",
        "Identificador,Nombre completo,Número de ID,Dirección de correo,Estado\n"
        "Participante 11,Ada Lovelace,ada,ada@example.org,Enviado para calificar\n",
        "Apellido(s),Nombre(s),Número de ID\nLovelace,Ada,ada\n",
    ],
)
def test_rosters_of_any_common_make_are_read(tmp_path: Path, text: str) -> None:
    people = roster(tmp_path, text)
    assert [(person.id, person.name) for person in people.people] == [("ada", "Ada Lovelace")]
    for label in ("Ada Lovelace_11_assignsubmission_file_/tiny.py", "lovelaceada_501_1_tiny.py"):
        with open_class(laid_out(tmp_path / label[:8], {label: "x"}), people) as found:
            assert [entry.student for entry in found.entries] == ["ada"]
            assert not found.absent


@pytest.mark.parametrize(
    "text",
    [
        'ID,"Vollständiger Name",E-Mail-Adresse,Bewertung\nTeilnehmer/in 101,Ada L,a@uni.de,\n',
        "Identifiant,Nom complet,Adresse de courriel,Note\nParticipant 101,Ada L,a@uni.de,\n",
        "Identificador,Nombre completo,Dirección de correo\nParticipante 101,Ada L,a@uni.de\n",
    ],
)
def test_moodles_worksheet_in_the_languages_of_its_users(tmp_path: Path, text: str) -> None:
    (person,) = roster(tmp_path, text).people
    assert (person.id, person.name, person.email) == ("a@uni.de", "Ada L", "a@uni.de")
    assert person.numbers == {("moodle", "101")}


def test_a_roster_in_another_encoding(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "cp1252", "utf-16"):
        (person,) = roster(tmp_path, "id,name\nj,Jörg Müller\n".encode(encoding)).people
        assert person.name == "Jörg Müller"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no column that is known"),
        ("a,b\n1,2\n", "found: a, b"),
        ("id,name\n", "names no student"),
        ("id,name\nada,Ada\nADA,Other\n", "line 3: 'ADA' is there twice"),
        (
            "id,submitted at\nada,2026-12-01T17:00\nada,2026-12-03T19:00\n",
            "line 3: 'ada' is there twice, with different times: keep the row that counts",
        ),
        (
            "name\nAnna Schmidt\nBen Li\nAnna Schmidt\n",
            "line 4: two rows say 'Anna Schmidt', and nothing else tells .*: give both an id",
        ),
        ('id,name\nada,"' + "x" * 200_000 + '"\n', "is no CSV"),
    ],
)
def test_a_bad_roster_gets_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError, match=says) as raised:
        roster(tmp_path, text)
    assert "\n" not in str(raised.value)
    with pytest.raises(UserError, match="a spreadsheet's own file: save it as CSV"):
        roster(tmp_path, zipped({"[Content_Types].xml": "", "xl/workbook.xml": ""}))
    with pytest.raises(UserError, match="cannot be read"):
        read_roster(tmp_path / "nowhere.csv")


def test_one_student_in_two_rows_is_one(tmp_path: Path) -> None:
    people = roster(
        tmp_path, "id,name,group\na1,Anna Schmidt,1\na1,Anna Schmidt,2\na2,Anna Schmidt,2\n"
    )
    assert [person.id for person in people.people] == ["a1", "a2"]


def test_documents_beside_the_works_are_named(tmp_path: Path) -> None:
    files = ("ben.py.txt", "carl.txt", "mia.pdf", "noa.html", "eve", "README.md", "grades.json")
    files += ("Thumbs.db", "desktop.ini", ".DS_Store", "__MACOSX/x", "dora/.DS_Store")
    folder = laid_out(tmp_path / "all", dict.fromkeys((*files, "ada/tiny.py"), "x"))
    text = "ben.py.txt, carl.txt, eve, mia.pdf, noa.html: expected one folder or zip per student"
    for origin in (folder, Path(make_archive(str(tmp_path / "class"), "zip", folder))):
        with open_class(origin) as found:
            assert [entry.student for entry in found.entries] == ["ada", "dora"]
            assert found.passed_over == f"passed over: {text}"
    rmtree(folder / "ada")
    rmtree(folder / "dora")
    with pytest.raises(UserError, match=r"no submissions: passed over: ben\.py\.txt, "):
        open_class(folder).__enter__()


def test_the_zip_of_a_class_may_have_been_renamed(tmp_path: Path) -> None:
    """A folder is wrapped around the works, called otherwise than the zip."""
    works = laid_out(tmp_path / "made", {f"Class 2026/{n}/tiny.py": "x" for n in ("ada", "ben")})
    with open_class(Path(make_archive(str(tmp_path / "class (1)"), "zip", works))) as found:
        assert [entry.student for entry in found.entries] == ["ada", "ben"]
    own = {"ada/coursework/tiny.py": "x", "ada/tests/test_tiny.py": "x"}
    own |= {f"ada/{folder}/conftest.py": "x" for folder in ("coursework", "tests")}
    twice = {"ada/first/tiny.py": "x", "ada/second/tiny.py": "x"}
    ada = roster(tmp_path, "id,name\na7,Ada\n")
    for name, work, people in (("own", own, None), ("twice", twice, ada)):
        archive = make_archive(str(tmp_path / "one"), "zip", laid_out(tmp_path / name, work))
        with open_class(Path(archive), people) as found:
            assert [path.name for entry in found.entries for path in entry.paths] == ["ada"]


def test_who_handed_in_nothing_has_an_empty_folder(tmp_path: Path) -> None:
    works = laid_out(tmp_path / "made", {"class/ada/tiny.py": "x", "class/ben/.DS_Store": "x"})
    for name in ("class", "other"):
        with open_class(Path(make_archive(str(tmp_path / name), "zip", works / "class"))) as found:
            assert [entry.student for entry in found.entries] == ["ada", "ben"]
    with open_class(Path(make_archive(str(tmp_path / "class"), "zip", works))) as found:
        assert [entry.student for entry in found.entries] == ["ada", "ben"]


def test_a_work_that_was_mailed_lies_beside_the_overrides(tmp_path: Path) -> None:
    laid_out(tmp_path, {"mailed/tiny.py": "a = 1", "mail.zip": zipped({"new/tiny.py": "b = 2"})})
    for value, text in {"mail.zip": "b = 2", "mailed": "a = 1", "mailed/tiny.py": "a = 1"}.items():
        row = Correction("file", "gus", "", value, "mailed", "line 2", tmp_path)
        found = read(Entry("gus"), "tiny", counts=row)
        assert (found.source.text, found.problem) == (text, "")
    for value in ("mial.zip", ".", ".."):
        row = Correction("file", "gus", "", value, "mailed", "line 2", tmp_path)
        with pytest.raises(UserError, match=rf"line 2: no file '{value}' in what gus handed in"):
            read(Entry("gus"), "tiny", counts=row)


def test_a_folder_of_the_students_own_counts_before_one_beside_the_overrides(
    tmp_path: Path,
) -> None:
    files = {"v2/tiny.py": "a = 1", "work/v1/tiny.py": "b = 2", "work/v2/tiny.py": "c = 3"}
    work = laid_out(tmp_path, files | {"v3/tiny.py": "d = 4", "work/v3/x.txt": ""}) / "work"
    rows = {
        value: Correction("file", "ben", "", value, "lab", "line 2", tmp_path)
        for value in ("v2", "v3")
    }
    found = {value: read(Entry("ben", (work,)), "tiny", counts=row) for value, row in rows.items()}
    assert (found["v2"].source.text, found["v2"].problem) == ("c = 3", "")
    assert found["v3"].problem == "there is no tiny.py; found instead: x.txt"


def test_nobody_is_lost_between_roster_and_works(tmp_path: Path) -> None:
    folder = laid_out(
        tmp_path / "all",
        {
            "ADA/tiny.py": "ada",
            "Ben Li/tiny.py": "ben",
            "ben.zip": zipped({"tiny.py": "ben again"}),
            "stranger/tiny.py": "stranger",
            "Kim Park/tiny.py": "one of two",
            "Zoe_77_assignsubmission_file_/tiny.py": "zoe",  # 77 is by chance somebody's id
        },
    )
    text = "id,name\nada,Ada\nben,Ben Li\nk1,Kim Park\nk2,Kim Park\n77,Someone Else\ngus,Gus\n"
    with open_class(folder, roster(tmp_path, text)) as found:
        read_ones = {entry.student: read(entry, "tiny") for entry in found.entries}
        absent = [person.id for person in found.absent]
        said = {person.id: person.absence for person in found.absent}
    assert said["gus"] == "nothing was handed in"
    assert said["k1"] == said["k2"] == "perhaps a work that fits several rows"
    assert set(read_ones) == {"ada", "ben", "stranger", "Kim Park", "moodle-77"}
    assert read_ones["ben"].problem == "handed in twice: Ben Li and ben.zip; keep one"
    assert read_ones["ben"].verdict is Verdict.NOT_JUDGED
    assert read_ones["stranger"].whose.remarks == ("no row of class.csv fits",)
    assert read_ones["Kim Park"].whose.remarks == ("several rows of class.csv fit: k1, k2",)
    assert absent == ["k1", "k2", "77", "gus"]


def test_names_that_differ_in_case_alone_are_one_student_s(tmp_path: Path) -> None:
    works = {"Ada/tiny.py": "one", "ada.zip": zipped({"tiny.py": "another"}), "ben/tiny.py": "ben"}
    with open_class(laid_out(tmp_path / "all", works)) as found:
        read_ones = {entry.student: read(entry, "tiny") for entry in found.entries}
    assert set(read_ones) == {"Ada", "ben"}
    assert read_ones["Ada"].problem == "handed in twice: Ada and ada.zip; keep one"
