import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/fake-clock.ts';
import { seconds } from '../../lib/instant.ts';
import { Availability } from './availability.ts';

const START = 1_767_323_045_000_000;

function create(): { clock: FakeClock; availability: Availability } {
  const clock = new FakeClock(START);
  return { clock, availability: new Availability(clock) };
}

function isAdmitted(availability: Availability): boolean {
  try {
    availability.admit();
    return true;
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error);
    assert.equal(error.code, 'storage_unavailable');
    return false;
  }
}

/** Lets the pause pass, and fails the attempt that is made then; returns how long it was. */
function failAfterPause({ clock, availability }: ReturnType<typeof create>): number {
  let waited = 0;
  for (;;) {
    if (isAdmitted(availability)) break;
    clock.advance({ seconds: 0.05 });
    waited += 0.05;
  }
  availability.failed(clock.now(), 'connection refused');
  return Math.round(waited * 100) / 100;
}

test('everything is admitted while nothing has failed', () => {
  const { availability } = create();

  assert.deepEqual(
    [1, 2, 3].map(() => isAdmitted(availability)),
    [true, true, true],
  );
});

test('pauses double with each failure, up to a bound', () => {
  const setting = create();
  setting.availability.failed(setting.availability.admit(), 'connection refused');

  const pauses = [1, 2, 3, 4, 5, 6, 7, 8].map(() => failAfterPause(setting));

  assert.deepEqual(pauses, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]);
});

test('a success ends the pause, and the next one is short again', () => {
  const setting = create();
  setting.availability.failed(setting.availability.admit(), 'connection refused');
  for (let n = 0; n < 5; n++) failAfterPause(setting);

  setting.availability.succeeded();
  assert.ok(isAdmitted(setting.availability));
  setting.availability.failed(setting.clock.now(), 'connection refused');

  assert.equal(failAfterPause(setting), 0.1);
});

test('after a pause only one is admitted, until it has failed or another pause has passed', () => {
  const { clock, availability } = create();
  availability.failed(availability.admit(), 'connection refused');
  clock.advance({ seconds: 0.1 });

  assert.deepEqual(
    [1, 2, 3].map(() => isAdmitted(availability)),
    [true, false, false],
  );
  clock.advance({ seconds: 0.1 });
  assert.deepEqual(
    [1, 2].map(() => isAdmitted(availability)),
    [true, false],
  );
});

test('attempts that fail together lengthen the pause only once', () => {
  const setting = create();
  const { clock, availability } = setting;
  const startedAt = [1, 2, 3, 4, 5].map(() => availability.admit());
  clock.advance({ seconds: 1 });

  for (const at of startedAt) availability.failed(at, 'connection refused');

  assert.equal(failAfterPause(setting), 0.1);
});

test('a clock that is put back does not stretch the pause', () => {
  const { clock, availability } = create();
  availability.failed(availability.admit(), 'connection refused');

  clock.set(START - seconds(3_600));

  assert.ok(isAdmitted(availability));
  assert.ok(!isAdmitted(availability));
  clock.advance({ seconds: 0.1 });
  assert.ok(isAdmitted(availability));
});

test('what is not admitted is told why the last attempt failed', () => {
  const { clock, availability } = create();
  availability.failed(availability.admit(), 'connection refused');
  clock.advance({ seconds: 0.1 });
  availability.failed(availability.admit(), 'no route to host');

  assert.throws(() => availability.admit(), {
    code: 'storage_unavailable',
    message: 'the database cannot be reached: no route to host',
  });
});
