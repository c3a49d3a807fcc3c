"""Thresholds at which one way of computing a result replaces another that gives the same bits or the same guarantee.

A field changes time and memory, never a value. Tests reach the way for large arrays with small ones by setting a field:
`monkeypatch.setattr(TUNING, "blocked_elements", 0)`. Limits on hostile input and protocol constants are no tuning; they
are beside the code that enforces them.
"""

from __future__ import annotations


class Tuning:
    """The thresholds in force. The figures were measured in the cache of one core (AVX-512, NumPy 2).

    Attributes:
      core_cached_bytes: size up to which arrays stay in the cache of one core.
      cached_bytes: size up to which arrays stay in the cache that the cores share.
      uncached_byte_ns: nanoseconds to move a byte between memory and cache.
      thread_wakeup_ns: nanoseconds that a further thread must save before it is woken.
      thread_trials: runs of a streak that measures one or several threads; 0: the estimate decides.
      thread_review_runs: runs until the measurement is repeated; eight times as many until the next one, and so on.
      thread_gain: share of the time on one thread that several threads must stay below.
      interpreter_switch_ns: extra nanoseconds of a NumPy call while two threads contend for the interpreter.
      helper_idle_seconds: time after which a parked helper thread ends.
      scratch_bytes: size up to which memory for intermediate results is retained.
      scratch_arrays: number of such arrays that are retained for a kernel.
      collection_pause_nodes: nodes or steps from which garbage collection is paused while they are built.

      blocked_elements: elements from which an array is processed in blocks.
      block_elements: elements of a block; a few arrays of this size fit into the cache of a core.
      block_bytes: bytes that a block of fused steps reads and writes; they fit into the cache of a core.
      block_least_elements: minimum elements of a block; below it the NumPy calls cost as much as the arithmetic.
      kernel_arrays: temporary arrays that a kernel of several ufuncs holds at a time.

      copy_narrow_columns: length of the last axis up to which copying column by column is faster than NumPy's copy.
      copy_byte_ns: nanoseconds per byte of a copy between memory orders.
      copy_crowded_stride: row stride in bytes whose multiples map a column onto few cache sets.
      align_bytes: size from which copying into reused aligned memory is faster than JAX's own copy.
      align_memory_bytes: aligned memory that is retained between compiled calls.

      split_run_bytes: length of a run up to which the parts of a split are copied; readers of views lose more.
      where_bit_elements: elements from which `where` selects with bit masks.
      where_broadcast_elements: elements up to which `np.where` broadcasts; the shape computation costs more.
      where_block_bytes: bytes that `where` processes at a time.
      where_byte_ns: nanoseconds per byte that `where` selects.
      where_narrow_columns: length of the last axis below which a broadcast operand is copied first.
      top_k_block_elements: elements that `top_k` processes at a time.
      top_k_searches: largest `k` for which the maxima of a row are searched one by one.
      segment_byte_ns: nanoseconds per byte of sorted segments.
      segment_column_rows: rows from which one call per column is faster than one per row.
      sum_short_row: length of the rows of a large array up to which several are added side by side.
      sum_long_row: length of such rows together; the sums stay in the cache of a core.
      clip_elements: elements from which NumPy clips faster than it compares with one number.
      softmax_number_ns: nanoseconds per element of a softmax.
      softmax_least_columns: minimum length of a block along the divided axis.
      softmax_short_rows: row length below which rows are transposed into columns first.
      cross_entropy_python_rows: rows up to which Python compares class indices faster than NumPy.
      softplus_loop_elements: elements from which five vectorized loops are faster than `np.logaddexp`.
      one_hot_table_depth: depth up to which `one_hot` keeps a table of rows.
      einsum_loop_products: products up to which `einsum` uses one loop instead of matrix products.
      added_columns: numbers of a row from which SciPy adds rows faster than NumPy adds columns.
      added_elements: elements from which that is worth SciPy's import.
      summed_elements: elements up to which the inputs of a linear function are added up over the iterations of a loop;
        a reduction reads larger ones once, an addition in place takes three times the memory's speed.
      whole_products: products of whole numbers from which matrices go to BLAS as float64, where that is exact.
      scipy_fft_elements: elements from which SciPy transforms faster than NumPy, its import spread over some calls.
      fft_byte_ns: nanoseconds per byte of a Fourier transform by SciPy.
      scipy_matrix_products: product of the number of matrices and the cube of their side from which SciPy's LAPACK
        saves more than its import costs in some calls.
      small_matrix_side: side up to which BLAS leaves a matrix to one thread, so that stacks are divided among threads.
      matrix_call_ns: nanoseconds of a call of LAPACK for a small matrix.
      matrix_product_ns: nanoseconds of a product of two numbers in a small matrix.
      substituted_side: side up to which many triangular systems are solved together, a row of all at a time.
      substituted_matrices: number of such systems from which that is faster.
      lapack_swaps: row swaps from which LAPACK is faster than Python, the import of SciPy included.
      blas_thread_products: products of a matrix product above which BLAS uses several threads.
      conv_block_bytes: bytes of patches that are multiplied at a time, if there are twice as many.
      conv_product_ns: nanoseconds per product of a convolution in 32 bits.
      conv_few_results: results of a convolution up to which planes are added up instead.
      conv_partial_sums: partial sums of a gradient in filters, which are added up at the end.
      channel_products: results times channels of a group up to which each channel is convolved by itself.
      channel_byte_ns: nanoseconds per byte of such a convolution's products.
      channel_compiled_points: points of a window up to which such a convolution is compiled as a sum of products.
      channel_line_numbers: numbers of a line of images that such a convolution multiplies at a time.
      windows_block_bytes: bytes of images whose windows are extracted at a time.
      windows_pixel_bytes: pixel size from which NumPy copies a pixel's channels as one item.
      pool_byte_ns: nanoseconds per byte of images and point of a window's side that are pooled.
      resize_narrow_channels: channels up to which columns and channels are merged into one axis.
      resize_block_numbers: elements of the interpolated rows in a block; the second level of cache holds most of them.
      resize_matrix_reads: reads of an interpolation matrix; fewer, larger calls outweigh its better place in a cache.
      resize_sparse_channels: channels up to which each element of a pixel is interpolated separately.

      joined_texts: number of strings from which they are split together.
      number_list_length: length up to which Python finds the extremes of a list of numbers faster than NumPy.
      random_python_blocks: blocks of random words up to which Python's integers are faster than arrays.
      random_chunk_blocks: blocks of random words that NumPy makes at a time; with fewer, two threads wait for the
        interpreter for longer than they save, and one thread is as fast.
      random_retained_blocks: blocks of random words up to which the memory of their rounds is retained.
      queue_word_blocks: blocks of random words that a shuffling queue draws at a time.
      candidate_draws: candidates that a sampler of classes draws at a time.
      compared_boxes: boxes that are compared with one another at a time.

      example_columns_values: values of serialized examples from which features are read without messages.
      example_value_bytes: mean size of a value up to which they are; the copies of longer ones cost more.

      small_variable_elements: elements up to which variables share one lock.
      scatter_in_place_elements: elements from which a scatter checks whether it may write in place.
      update_call_elements: overhead of a separate optimizer update, as the elements that are copied in that time.
      update_step_elements: overhead of a step of an update that is written in elementwise ops, in the same unit.
      update_share_steps: steps that take as long as the share of one variable in an update of several.
      update_block_steps: steps from which an update of a large variable in blocks is faster than its steps, which are
        fused in part.
      fused_update_elements: overhead of a fused update of several variables, in the same unit.
      batch_reserved_bytes: size up to which the memory of a batch is reserved at once; pages are touched when filled.

      interpreted_runs: runs of a plan after which it is written as source.
      interpreted_iterations: iterations of a loop after which it is written as source.
      host_call_runs: calls of a host function after which its call is written as source.
      written_steps: steps up to which a plan is written as one function; compiling so many takes 20 ms.
      written_lines: lines of a source up to which programs are inlined; compiling them takes more than linear time.
      inlined_depth: depth up to which programs are inlined in one another; Python compiles 20 nested blocks.
      chunk_steps: steps of a chunk of a larger plan.
      step_writing_cost: cost of writing a step of a chunk, in interpreted steps.
      step_compiling_cost: further cost of compiling a step of a chunk that has no equal, in interpreted steps.
      in_place_elements: elements from which writing into an input saves more than the search for the chance costs.
      in_place_inputs: inputs of fused steps up to which one test for all steps decides whether memory is searched for.
      fold_elements: elements up to which a folded result is stored; a larger one costs more memory than it saves time.
      fused_steps: maximum number of fused steps, whose function is written as one.
      fused_forms: forms of arrays for which a function of fused steps is retained.
      fused_kernel_ufuncs: ufuncs up to which a kernel is expanded into fused steps.

      segment_least_steps: minimum steps of a segment, unless the user asked for its compilation.
      segment_constant_elements: elements up to which a constant is part of a segment; larger ones are passed to it.
      written_segment_steps: steps up to which a segment's uncompiled steps are written into its plan.
      segment_elements: elements from which a segment on the CPU may run uncompiled.
      compiled_call_ns: nanoseconds of NumPy's work from which compiled code outweighs the cost of its call.
      compiled_element_ns: nanoseconds of NumPy's work on an element from which compiled code is faster.

      vjp_sightings: repetitions of a structure before its vector-Jacobian product is compiled.
      vjp_exact_sightings: repetitions of sizes before it is compiled for them; batches may differ from step to step.
      vjp_records: records of a tape up to which it is compiled; bound when the module is loaded.
      ones_elements: elements up to which a default cotangent is retained.

      residual_entries: residuals of calls in other compilers' programs that are kept for their gradients.
      residual_bytes: bytes that they may hold.
      used_residual_bytes: bytes that those may hold whose gradient was taken already.

      stored_array_bytes: size from which an array is stored beside the pickle of a body, or in a file of its own.
      sent_array_bytes: size from which an array is no part of the stream to a worker process.
      mapped_bytes: size from which a worker maps a segment; each mapping holds a descriptor.
      slot_bytes: shared memory that is used again, per worker and direction.
      sent_ahead_bytes: size of a call up to which it is sent before its worker is idle.

      sent_ahead_seconds: duration of the calls that are sent before their worker is idle.
      sent_ahead_calls: maximum number of such calls.
      batch_seconds: duration of the calls that share a message to a worker.
      reply_batch_seconds: time for which a worker defers the answers to calls of one message.
      deadline_check_seconds: interval at which running calls are checked against their limits.

      thread_element_seconds: time per element from which a dataset's function is tried on threads.
      process_element_seconds: time per element from which it is tried in other processes.
      strategy_gain: cost relative to the best strategy so far below which another one replaces it.
      trial_elements: elements after which the trial of a strategy ends.
      trial_seconds: time after which it ends, if `trial_least_elements` were measured.
      trial_least_elements: elements that it measures at least.
      trial_warm_elements: first elements that are not measured, since they fill caches.
      waiting_share: share of its time below which a function counts as waiting rather than computing.
      waiting_calls: calls of such a function that run at a time.
      calls_in_flight: calls of an executor that run at a time if `AUTOTUNE` chooses.
      gathering_seconds: time after which a task begins with the elements that were read so far.
      producer_linger_seconds: time that a producer waits for room before it returns its thread.
      stacked_numbers: numbers of an element up to which elements are computed together; the intermediate results of
        larger ones stay in the cache from op to op.
      word_least_blocks: blocks of random words that a shuffle draws at first.
      word_blocks: blocks that it draws at a time after several doublings.
      sent_row_bytes: size up to which arrays are sent as rows of one array.
      sent_elements: elements of a task that is sent to another process.
      sent_elements_bytes: bytes of such a task; a larger element is a task of its own.

      poll_seconds: interval at which the monitor checks runs that began recently.
      poll_most_seconds: interval at which it checks runs while nothing blocks.
      poll_late_seconds: delay of a check from which other threads are assumed to have computed.
      idle_polls: checks without a run after which the monitor parks.
      blocking_helpers: helper threads with which a run starts that is known to block.
    """

    core_cached_bytes: int = 4 << 20
    cached_bytes: int = 16 << 20
    uncached_byte_ns: float = 0.1
    thread_wakeup_ns: float = 150_000.0
    interpreter_switch_ns: float = 2_000.0
    thread_trials: int = 4
    thread_review_runs: int = 128
    thread_gain: float = 0.95
    helper_idle_seconds: float = 30.0
    scratch_bytes: int = 1 << 23
    scratch_arrays: int = 8
    collection_pause_nodes: int = 1000

    blocked_elements: int = 1 << 17
    block_elements: int = 1 << 16
    block_bytes: int = 3 << 18
    block_least_elements: int = 1 << 14
    kernel_arrays: int = 4

    copy_narrow_columns: int = 4
    copy_byte_ns: float = 0.15
    copy_crowded_stride: int = 1024
    align_bytes: int = 1 << 16
    align_memory_bytes: int = 1 << 28

    split_run_bytes: int = 256
    where_bit_elements: int = 1 << 12
    where_broadcast_elements: int = 256
    where_block_bytes: int = 1 << 18
    where_byte_ns: float = 0.125
    where_narrow_columns: int = 8
    top_k_block_elements: int = 16_384
    top_k_searches: int = 32
    segment_byte_ns: float = 0.13
    segment_column_rows: int = 256
    sum_short_row: int = 512
    sum_long_row: int = 2048
    clip_elements: int = 3072
    softmax_number_ns: float = 1.2
    softmax_least_columns: int = 128
    softmax_short_rows: int = 64
    cross_entropy_python_rows: int = 64
    softplus_loop_elements: int = 256
    one_hot_table_depth: int = 64
    einsum_loop_products: int = 1 << 14
    added_columns: int = 8
    added_elements: int = 1 << 16
    summed_elements: int = 1 << 16
    whole_products: int = 1 << 14
    scipy_fft_elements: int = 1 << 15
    fft_byte_ns: float = 0.5
    scipy_matrix_products: int = 1 << 18
    small_matrix_side: int = 64
    matrix_call_ns: float = 500.0
    matrix_product_ns: float = 0.5
    substituted_side: int = 8
    substituted_matrices: int = 64
    lapack_swaps: int = 50_000
    blas_thread_products: int = 1 << 18
    conv_block_bytes: int = 1 << 22
    conv_product_ns: float = 0.03
    conv_few_results: int = 4
    conv_partial_sums: int = 8
    channel_products: int = 8
    channel_byte_ns: float = 0.055
    channel_compiled_points: int = 25
    channel_line_numbers: int = 4096
    windows_block_bytes: int = 1 << 20
    windows_pixel_bytes: int = 16
    pool_byte_ns: float = 0.05
    resize_narrow_channels: int = 16
    resize_block_numbers: int = 1 << 19
    resize_matrix_reads: int = 1 << 19
    resize_sparse_channels: int = 16

    joined_texts: int = 64
    number_list_length: int = 32
    random_python_blocks: int = 128
    random_chunk_blocks: int = 1 << 16
    random_retained_blocks: int = 1 << 13
    queue_word_blocks: int = 64
    candidate_draws: int = 1 << 16
    compared_boxes: int = 128

    example_columns_values: int = 200
    example_value_bytes: int = 1 << 10

    small_variable_elements: int = 1 << 14
    scatter_in_place_elements: int = 1 << 13
    update_call_elements: int = 26_000
    update_step_elements: int = 2_000
    update_share_steps: int = 3
    update_block_steps: int = 8
    fused_update_elements: int = 46_000
    batch_reserved_bytes: int = 1 << 30

    interpreted_runs: int = 2
    interpreted_iterations: int = 3
    host_call_runs: int = 3
    written_steps: int = 200
    written_lines: int = 20_000
    inlined_depth: int = 8
    chunk_steps: int = 256
    step_writing_cost: int = 6
    step_compiling_cost: int = 30
    in_place_elements: int = 1 << 13
    in_place_inputs: int = 4
    fold_elements: int = 1 << 20
    fused_steps: int = 1024
    fused_forms: int = 16
    fused_kernel_ufuncs: int = 8

    segment_least_steps: int = 4
    segment_constant_elements: int = 1 << 12
    written_segment_steps: int = 32
    segment_elements: int = 100_000
    compiled_call_ns: float = 600_000.0
    compiled_element_ns: float = 1.0

    vjp_sightings: int = 2
    vjp_exact_sightings: int = 8
    vjp_records: int = 256
    ones_elements: int = 64

    residual_entries: int = 1 << 14
    residual_bytes: int = 1 << 30
    used_residual_bytes: int = 1 << 26

    stored_array_bytes: int = 1 << 16
    sent_array_bytes: int = 49_152
    mapped_bytes: int = 1 << 20
    slot_bytes: int = 1 << 26
    sent_ahead_bytes: int = 1 << 20

    sent_ahead_seconds: float = 0.02
    sent_ahead_calls: int = 64
    batch_seconds: float = 0.002
    reply_batch_seconds: float = 0.001
    deadline_check_seconds: float = 0.02

    thread_element_seconds: float = 50e-6
    process_element_seconds: float = 100e-6
    strategy_gain: float = 0.9
    trial_elements: int = 64
    trial_seconds: float = 0.02
    trial_least_elements: int = 5
    trial_warm_elements: int = 2
    waiting_share: float = 0.2
    waiting_calls: int = 32
    calls_in_flight: int = 64
    gathering_seconds: float = 0.002
    producer_linger_seconds: float = 0.05
    stacked_numbers: int = 1024
    word_least_blocks: int = 4
    word_blocks: int = 1024
    sent_row_bytes: int = 4096
    sent_elements: int = 1024
    sent_elements_bytes: int = 1 << 20

    poll_seconds: float = 0.0005
    poll_most_seconds: float = 0.004
    poll_late_seconds: float = 0.002
    idle_polls: int = 50
    blocking_helpers: int = 8

    def __init__(self) -> None:
        for name in Tuning.__annotations__:  # attributes of an instance are read in half the time of those of a class
            setattr(self, name, getattr(Tuning, name))


TUNING = Tuning()
"""The thresholds of this process. Compiled plans bind the values that were in force when they were written."""
