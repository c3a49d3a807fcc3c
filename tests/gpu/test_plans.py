"""The tests of plans on a GPU."""

import pytest

from tests.unit.devices.test_plans import *  # noqa: F403

pytestmark = pytest.mark.gpu
