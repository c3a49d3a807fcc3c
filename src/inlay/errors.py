"""`tf.errors`: the exception tree, and the codes of its classes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "errors",
    {
        "base.errors":
        "ABORTED ALREADY_EXISTS AbortedError AlreadyExistsError CANCELLED CancelledError DATA_LOSS "
        "DEADLINE_EXCEEDED DataLossError DeadlineExceededError FAILED_PRECONDITION FailedPreconditionError "
        "INTERNAL INVALID_ARGUMENT InaccessibleTensorError InternalError InvalidArgumentError "
        "LostGradientWarning NOT_FOUND NotFoundError OK OUT_OF_RANGE OpError OperatorNotAllowedInGraphError "
        "OutOfRangeError PERMISSION_DENIED PermissionDeniedError RESOURCE_EXHAUSTED ResourceExhaustedError "
        "UNAUTHENTICATED UNAVAILABLE UNIMPLEMENTED UNKNOWN UnauthenticatedError UnavailableError "
        "UnimplementedError UnknownError error_code_from_exception_type exception_type_from_error_code",
    },
    absent={
        "raise_exception_on_not_ok_status": "C++ statuses are not here: exceptions of tf.errors are raised",
    },
)
