import { RUN_RESULTS } from '../../domain/history/run.ts';
import { RUN_FLAGS } from '../../domain/ping/run-judgement.ts';
import {
  component,
  instant,
  integer,
  list,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  url,
  uuid,
} from '../openapi/schema.ts';
import type { RunFlag, RunJson } from './runs.ts';

export const RUN_RESULT = oneOf(
  RUN_RESULTS,
  'What became of it. `warned`: it succeeded, and a rule has a remark. `failed`: it failed, or took too long. `late`: it succeeded when the check was already down. For `missed`, `skipped` and `unknown` no run came: nobody knows why, another run was still within its limit, or the service itself was away.',
);

export const RUN_SCHEMA = component(
  'Run',
  object<RunJson>({
    n: nullable(
      integer('The number of the ping that ended it, or that began it; null when none came.', { minimum: 1 }),
    ),
    result: RUN_RESULT,
    expected: nullable(instant('When the schedule expected it. Null: it did not, or that is not known.')),
    started: nullable(instant('When it began. Null when there was no start signal.')),
    ended: nullable(instant('When it ended. Null while it is running, and where no end came.')),
    duration: nullable(number('Seconds from start to end.', { minimum: 0 })),
    rid: optional(nullable(uuid('Its run id, where the job gave one. Not shown by unique key.'))),
    exit_status: nullable(integer('The exit status that its end reported.')),
    flags: list(
      oneOf(Object.keys(RUN_FLAGS) as RunFlag[], 'A remark.'),
      'What was remarkable about it: the exit status, that it was short, a number, or a number that was missing.',
    ),
    numbers: mapOf(number('The value.'), 'The declared numbers that it reported, by name.'),
    body_url: optional(
      nullable(
        url(
          'Where to get what its last ping brought along; null when that was nothing or is gone. Not shown by unique key.',
        ),
      ),
    ),
    excerpt: optional(
      text(
        'The end of what it brought along. Only of a failed or warned run whose ping is gone, and only for a read-write key.',
      ),
    ),
    count: optional(
      integer(
        'How many runs one after the other did not come, where it is more than one: a gap lists 30 and counts the rest.',
        {
          minimum: 2,
        },
      ),
    ),
  }),
);
