import { TOLD_EVENTS } from '../../../domain/alert/channel.ts';
import { MAX_LISTED_PINGS } from '../../../domain/ping/ping.ts';
import { MAX_FORETOLD } from '../../../domain/policy/supposition.ts';
import { FLIP_SCHEMA } from '../../api/flip-schema.ts';
import type { V3Flips } from '../../api/flips.ts';
import { PING_SCHEMA } from '../../api/ping-schema.ts';
import { RUN_RESULT, RUN_SCHEMA } from '../../api/run-schema.ts';
import { DEFAULT_RUN_LIMIT, MAX_RUN_LIMIT } from '../../api/runs.ts';
import { WHY_SCHEMA } from '../../api/why-schema.ts';
import { FLIPS, PINGS, RUNS, WHY } from '../examples.ts';
import { errorReply, jsonReply, type OperationDoc, type ResponseDoc } from '../operation.ts';
import { list, nullable, object, text } from '../schema.ts';
import { NO_SUCH_CHECK, OF_OTHER_PROJECT } from './checks.ts';

export const listPings: OperationDoc = {
  id: 'listPings',
  group: 'History',
  summary: 'List pings',
  description: `The latest pings of a check, newest first: as many as the account keeps, and at most ${MAX_LISTED_PINGS}.`,
  responses: {
    200: jsonReply('The pings.', object({ pings: list(PING_SCHEMA) }).json, {
      'a run that took 42.7 seconds': { pings: PINGS },
    }),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};

export const getPingBody: OperationDoc = {
  id: 'getPingBody',
  group: 'History',
  summary: 'Get the body of a ping',
  description: 'What the client sent along with the ping, byte for byte.',
  responses: {
    200: {
      description: 'The body.',
      content: {
        'text/plain': { schema: { type: 'string' }, examples: { 'a line of a log': 'backed up 3 tables\n' } },
      },
    },
    403: OF_OTHER_PROJECT,
    404: errorReply(
      'There is no such check or ping, or the ping had no body.',
      'check not found',
      'ping body not found',
    ),
  },
};

const unixTime = { type: 'integer', minimum: 0, maximum: 10_000_000_000 };

export const listRuns: OperationDoc = {
  id: 'listRuns',
  group: 'History',
  summary: 'List runs',
  description: `The runs of a check, newest first, with those that were expected and did not come. Failed and warned runs stay in the
list for \`KEEP_FAILURES_DAYS\` after their pings are gone. All pages of a list tell what was so when its first page was asked for: no run is
left out and none comes twice, however many pings arrive meanwhile. While there is a \`next\` the list goes on, also after a page that is short or empty.`,
  query: {
    result: {
      description:
        'Only runs with this result. May be given several times, or with several results separated by commas.',
      schema: RUN_RESULT.json,
      example: 'failed',
    },
    from: {
      description:
        'Only runs at this UNIX time or later. The time of a run is its end, or when it was expected, or its start.',
      schema: unixTime,
      example: 1_774_000_000,
    },
    until: { description: 'Only runs before this UNIX time.', schema: unixTime, example: 1_774_400_000 },
    limit: {
      description: `The most runs of a page. Without it: ${DEFAULT_RUN_LIMIT}.`,
      schema: { type: 'integer', minimum: 1, maximum: MAX_RUN_LIMIT },
      example: 20,
    },
    cursor: {
      description: 'Where to go on: `next` of the page before.',
      schema: { type: 'string' },
      example: '',
    },
  },
  responses: {
    200: jsonReply(
      'The runs.',
      object({
        runs: list(RUN_SCHEMA),
        next: nullable(text('The `cursor` of the next page. Null at the end.')),
      }).json,
      { 'a success, a warning and a run that did not come': { runs: RUNS, next: null } },
    ),
    400: errorReply(
      'A query parameter is not valid.',
      'limit is not a whole number from 1 to 500',
      'cursor is not valid',
    ),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};

const FLIPS_BY_FORM = {
  array: {
    description: `The changes of a check's status into up and into down, newest first, as a **plain array**. All given
filters apply together.

**If your program finds no flips**, it may expect the object of v1 and v2: there the answer is \`{"flips": […]}\`, and
pausing and resuming are listed as well, with \`up\` 0. Call \`/api/v2/\` instead, or ask the operator of the instance to
set \`API_V3_FLIPS=object\`, which makes v3 answer as v2 does.`,
    response: jsonReply('The flips.', list(FLIP_SCHEMA).json, { 'down for an hour and a half': FLIPS }),
  },
  object: {
    description: `The changes of a check's status, newest first, in an object: \`{"flips": […]}\`. Pausing and resuming
are listed as well, with \`up\` 0. All given filters apply together.

**On this instance** (\`API_V3_FLIPS=object\`) v3 answers as v1 and v2 do. On others it answers with a plain array of the
changes into up and into down.`,
    response: jsonReply('The flips.', object({ flips: list(FLIP_SCHEMA) }).json, {
      'down for an hour and a half': { flips: FLIPS },
    }),
  },
} satisfies Record<V3Flips, { description: string; response: ResponseDoc }>;

export const listFlips = (v3Flips: V3Flips): OperationDoc => ({
  id: 'listFlips',
  group: 'History',
  summary: 'List flips',
  description: `${FLIPS_BY_FORM[v3Flips].description}

Flips of the current month and of the two full months before it are listed.`,
  query: {
    seconds: {
      description: 'Only flips of the last so many seconds.',
      schema: { type: 'integer', minimum: 1, maximum: 31_536_000 },
      example: 3_600,
    },
    start: {
      description: 'Only flips at this UNIX time or later.',
      schema: unixTime,
      example: 1_774_000_000,
    },
    end: { description: 'Only flips before this UNIX time.', schema: unixTime, example: 1_774_400_000 },
  },
  responses: {
    200: FLIPS_BY_FORM[v3Flips].response,
    400: errorReply('A query parameter is not valid.', 'start is not a whole number from 0 to 10000000000'),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
});

export const askWhy: OperationDoc = {
  id: 'askWhy',
  group: 'History',
  summary: 'Ask who is told, and why',
  description: `Says who was told of the check, who will be and when, who waits for what, and why the others are not told. With
\`if\` it says what would be after that, if nothing else happens: the rules of alerts are run forward for 48 hours or ${MAX_FORETOLD} messages. Nothing
is changed or sent. Until what is supposed, the job is taken to run as it should.

It tells when messages are queued. An integration that takes too many at once gets some of them together, a little later.`,
  query: {
    if: {
      description: 'What would be: the job misses its deadline, reports a failure, or is up again.',
      schema: { type: 'string', enum: TOLD_EVENTS },
      example: 'down_timeout',
    },
    at: {
      description: `When that would happen, as UNIX time, at most 30 days ahead. Without it: now; of \`down_timeout\`, at the next deadline.`,
      schema: unixTime,
      example: 1_774_400_000,
    },
  },
  responses: {
    200: jsonReply('Who is told, and why.', WHY_SCHEMA.json, { 'one bad run of two': WHY }),
    400: errorReply(
      'A query parameter is not valid.',
      `if is not one of ${TOLD_EVENTS.join(', ')}`,
      'at is more than 30 days ahead',
      'at is over',
      'at needs if: what happens then',
      'at is not a whole number from 0 to 10000000000',
    ),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};
