from featsieve.engines.stages import Stage, is_recording, record, recorded_stages


def test_stages_are_recorded_within_the_context_only():
    stage = Stage("columns", (5, 3))
    record(lambda: 1 / 0)  # is not called
    with recorded_stages() as stages:
        assert is_recording()
        record(lambda: stage)
    assert not is_recording()
    assert stages == [stage]
