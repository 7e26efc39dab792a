"""What a suite's author imports: the one module for tests of students' code.

A suite runs in two ways. `nextword check` holds the student's code in the same process, `nextword
grade` in another one, locked in. In both, a test sees stand-ins: a call crosses over as a message
and plain values come back. So a test that passes in one way passes in the other, and what cannot
work raises CannotCrossError in both, with a sentence that says what to do instead.

Whatever comes back is the student's word. Compare it here, with values that only right code can
know. Leaves out running a suite (examiner.judge).
"""

from examiner.boundary.batch import map_calls
from examiner.boundary.errors import CannotCrossError
from examiner.suite.chance import frequencies, leave_doubt
from examiner.suite.closeness import Closeness, close, near
from examiner.suite.helpers import changes, library_names, ship, student_module
from examiner.suite.learning import (
    gradients,
    optimizer_steps,
    peak_bytes,
    same_training_step,
    set_parameters,
    value_and_peak,
)
from examiner.suite.searches import found_once

__all__ = [
    "CannotCrossError",
    "Closeness",
    "changes",
    "close",
    "found_once",
    "frequencies",
    "gradients",
    "leave_doubt",
    "library_names",
    "map_calls",
    "near",
    "optimizer_steps",
    "peak_bytes",
    "same_training_step",
    "set_parameters",
    "ship",
    "student_module",
    "value_and_peak",
]
