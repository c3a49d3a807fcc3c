"""Options of saving and loading models: `SaveOptions`, `LoadOptions`, `VariablePolicy`."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Self

from inlay._src.base.export import export


@export("saved_model.experimental.VariablePolicy", "compat.v1.saved_model.experimental.VariablePolicy")
class VariablePolicy(enum.Enum):
    """Whether a saved model records the devices of variables. Accepted; no policy records them here."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @classmethod
    def from_obj(cls, obj: Any) -> Self:
        """The policy of a name in any case, of None, or of a policy.

        Args:
          obj: the name.

        Raises:
          ValueError: if there is none of that name.
        """
        if isinstance(obj, cls):
            return obj
        wanted = None if obj is None else str(obj).lower()
        for policy in cls:
            if policy.value == wanted:
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")


@export("saved_model.SaveOptions", "compat.v1.saved_model.SaveOptions")
class SaveOptions:
    """Options of `saved_model.save`.

    Args:
      namespace_whitelist, save_debug_info, experimental_debug_stripper, experimental_variable_policy,
      experimental_custom_gradients, experimental_image_format, experimental_skip_saver,
      experimental_sharding_callback, extra_tags: accepted; without effect.
      function_aliases: alias -> a function that the model has besides; `LoadOptions` says whether it is loaded.
      experimental_io_device: accepted; without effect.
      by_name: modules and packages whose functions are saved by import name, so that the loading process needs
        them. Functions of installed packages are always saved so, all others by value.

    Raises:
      ValueError: for an unknown variable policy.
    """

    def __init__(
        self,
        namespace_whitelist: Sequence[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: Mapping[str, Any] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
        *,
        by_name: Sequence[str] = (),
    ) -> None:
        self.namespace_whitelist: list[str] = [str(name) for name in namespace_whitelist or ()]
        self.save_debug_info: bool = save_debug_info
        self.function_aliases: dict[str, Any] = dict(function_aliases or {})
        self.experimental_debug_stripper: bool = experimental_debug_stripper
        self.experimental_io_device: str | None = experimental_io_device
        self.experimental_variable_policy: VariablePolicy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients: bool = experimental_custom_gradients
        self.experimental_image_format: bool = experimental_image_format
        self.experimental_skip_saver: bool = experimental_skip_saver
        self.experimental_sharding_callback: Any = experimental_sharding_callback
        self.extra_tags: Any = extra_tags
        self.by_name = (by_name,) if isinstance(by_name, str) else tuple(by_name)


@export("saved_model.LoadOptions")
class LoadOptions:
    """Options of `saved_model.load`.

    Args:
      allow_partial_checkpoint: accepted; a saved model has a value of every variable that it restores.
      experimental_io_device, experimental_variable_policy: accepted; without effect.
      experimental_load_function_aliases: whether the object has `function_aliases`, a dict of functions.
      experimental_skip_checkpoint: must be False: variables get their saved values.

    Raises:
      NotImplementedError: if the values should be skipped.
      ValueError: for an unknown variable policy.
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        if experimental_skip_checkpoint:
            raise NotImplementedError(
                "LoadOptions(experimental_skip_checkpoint=True) is not here: a loaded model's variables get their "
                "saved values. Restore others over them with tf.train.Checkpoint"
            )
        self.allow_partial_checkpoint: bool = allow_partial_checkpoint
        self.experimental_io_device: str | None = experimental_io_device
        self.experimental_skip_checkpoint: bool = experimental_skip_checkpoint
        self.experimental_variable_policy: VariablePolicy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases: bool = experimental_load_function_aliases
