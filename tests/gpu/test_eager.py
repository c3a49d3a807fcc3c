"""The eager tests of devices on a GPU."""

import pytest

from tests.unit.devices.test_eager import *  # noqa: F403

pytestmark = pytest.mark.gpu
