import { FLIP_SCHEMA } from '../../api/flip-schema.ts';
import { PING_SCHEMA } from '../../api/ping-schema.ts';
import { FLIPS, PINGS } from '../examples.ts';
import { errorReply, jsonReply, type OperationDoc } from '../operation.ts';
import { list, object } from '../schema.ts';
import { NO_SUCH_CHECK, OF_OTHER_PROJECT } from './checks.ts';

export const listPings: OperationDoc = {
  id: 'listPings',
  group: 'History',
  summary: 'List pings',
  description: `The latest pings of a check, newest first: as many as the plan of the account keeps, and at most 1000.`,
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

export const listFlips: OperationDoc = {
  id: 'listFlips',
  group: 'History',
  summary: 'List flips',
  description: `The changes of a check's status into up and into down, newest first. All given filters apply together.

Flips are kept for the current month and the two full months before it. The last flip from before that is kept, too: it
tells the status at that time. Older ones are removed from time to time, so that some may still be listed.

In **v1** and **v2** the answer is an object, \`{"flips": […]}\`, and pausing and resuming are listed as well, with
\`up\` 0.`,
  query: {
    seconds: {
      description: 'Only flips of the last so many seconds. 0 or empty: no filter.',
      schema: { type: 'integer', minimum: 0, maximum: 31_536_000 },
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
    200: jsonReply('The flips.', list(FLIP_SCHEMA).json, { 'down for an hour and a half': FLIPS }),
    400: errorReply('A query parameter is not valid.', 'start is not a whole number from 0 to 10000000000'),
    403: OF_OTHER_PROJECT,
    404: NO_SUCH_CHECK,
  },
};
