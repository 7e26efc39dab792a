"""The former place of `nextword.given.vocabulary`, from which earlier students' files import it."""

from nextword.given.vocabulary import *  # noqa: F403
