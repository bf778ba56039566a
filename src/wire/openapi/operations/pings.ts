import { MAX_PING_AGE_SECONDS } from '../../../domain/ping/ping.ts';
import type { DocumentedOperation } from '../document.ts';
import {
  type BodyDoc,
  type OperationDoc,
  type Parameter,
  RETRY_AFTER,
  type ResponseDoc,
} from '../operation.ts';

/** The beginning of every address to ping. */
const PING = '/ping';

interface Signal {
  /** The path after the address of the check. */
  readonly path: string;
  /** The ending of the operation's id. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
}

const SUCCESS: Signal = {
  path: '',
  id: '',
  summary: 'Report a success',
  description: 'The job has succeeded. The next ping is expected by the schedule of the check.',
};

const NAMED_SIGNALS: readonly Signal[] = [
  {
    path: '/start',
    id: 'Start',
    summary: 'Report a start',
    description: `The job starts. The check then shows how long the run takes, and goes down when its end does not come
within the grace time.`,
  },
  {
    path: '/progress',
    id: 'Progress',
    summary: 'Report progress',
    description: `The run is alive: its limit counts anew. A run id that is not known opens a run. The status of the check
stays as it is, and the ping is listed as \`log\`.`,
  },
  {
    path: '/fail',
    id: 'Fail',
    summary: 'Report a failure',
    description: 'The job has failed. The check goes down at once.',
  },
  {
    path: '/log',
    id: 'Log',
    summary: 'Add to the log',
    description: 'A message for the log. The status of the check stays as it is.',
  },
];

const EXIT_STATUS: Signal = {
  path: '/{exit_status}',
  id: 'ExitStatus',
  summary: 'Report an exit status',
  description: 'The job has ended with this exit status: 0 is a success, 1 to 255 are failures.',
};

const RID: Parameter = {
  description: 'Id of the run, a UUID. Pairs the start and the end of runs that overlap.',
  schema: { type: 'string', format: 'uuid' },
  example: 'b1c8a8a0-4b57-4b0c-9d39-0c5ad2f3c1ee',
};

const AGE: Parameter = {
  description: `How long before the request the thing happened that it reports, in seconds, with up to six decimals. At most \`Ping-Age-Limit\` of an answer. A late ping counts as of then, and only while nothing newer was due.`,
  schema: { type: 'number', minimum: 0, maximum: MAX_PING_AGE_SECONDS },
  example: 90,
};

const NUMBER: Parameter = {
  description: `A number of the run that the ping ends, as \`name:value\`. Up to ten. Counts where the rules of the check name it, and before the body.`,
  schema: { type: 'string' },
  example: 'rows:123',
};

const CREATE: Parameter = {
  description: '1: a check that does not exist is made by this ping, with the slug as its name.',
  schema: { type: 'string' },
  example: '1',
};

const declared = (description: string, example: string): Parameter => ({
  description: `${description} Counts where the project lets jobs declare their checks; the header \`Check-Declaration\` tells what became of it.`,
  schema: { type: 'string' },
  example,
});

/** A job may declare its check with any signal. */
const DECLARATION = {
  schedule: declared('Declares the schedule of the check: a cron or OnCalendar expression.', '0 3 * * *'),
  timeout: declared('Declares the time between two pings: seconds, or a text such as `2h24m`.', '15m'),
  tz: declared('Declares the time zone of the schedule.', 'Europe/Riga'),
  grace: declared('Declares the grace time: seconds, or a text such as `15m`.', '1h'),
  tags: declared('Declares the tags, separated by blanks or commas.', 'db,prod'),
  name: declared('Declares the name.', 'Nightly backup'),
} satisfies Record<string, Parameter>;

const CHANNELS = declared(
  'Names the integrations of a check that this ping makes: names or UUIDs, separated by commas. Absent: all.',
  'Ops',
);

/** Pings are answered in plain text. */
function textReply(description: string, ...texts: readonly string[]): ResponseDoc {
  const examples = Object.fromEntries(texts.map((text) => [text, text]));
  return { description, content: { 'text/plain; charset=utf-8': { schema: { type: 'string' }, examples } } };
}

const RECORDED = textReply('The ping is recorded. It will not be lost.', 'OK');
const CREATED = textReply('The same, and the check was made by it.', 'Created');
const INVALID = textReply(
  'The run id is not a UUID, the age is none, the exit status is above 255, or the slug is not one.',
  'invalid uuid format',
  'invalid age format',
  'invalid url format',
);
const NOT_FOUND = textReply('There is no such check.', 'not found');
const AMBIGUOUS = textReply('Several checks of the project have the slug. None is pinged.', 'ambiguous slug');
const NOT_NOW: ResponseDoc = {
  ...textReply('The ping cannot be recorded now.', 'temporarily unavailable', 'overloaded'),
  headers: RETRY_AFTER,
};

/** Any bytes, under any content type. */
const OUTPUT: BodyDoc = {
  description:
    'What the job has to say, such as its output. The first bytes are kept, as `Ping-Body-Limit` of the answer says.',
  contentType: 'application/octet-stream',
  schema: { type: 'string', format: 'binary' },
  examples: { 'a line of a log': 'backed up 3 tables\n' },
};

type Answers = Pick<OperationDoc, 'query' | 'responses'>;

const BY_UUID: Answers = {
  query: { rid: RID, age: AGE, number: NUMBER, ...DECLARATION },
  responses: { 200: RECORDED, 400: INVALID, 404: NOT_FOUND, 503: NOT_NOW },
};

const BY_SLUG: Answers = {
  query: { rid: RID, age: AGE, number: NUMBER, create: CREATE, ...DECLARATION, channels: CHANNELS },
  responses: { ...BY_UUID.responses, 201: CREATED, 409: AMBIGUOUS },
};

/** The address by GET, and by POST with a body. */
function pings(path: string, id: string, summary: string, description: string, answers: Answers) {
  const doc = { group: 'Pings', ...answers } as const;
  const open = { path, access: 'open', isUnlimited: true } as const;
  return [
    {
      ...open,
      method: 'GET',
      doc: {
        ...doc,
        id,
        summary,
        description: `${description}\n\nHEAD, PUT and PATCH work as well. No key is needed.`,
      },
    },
    {
      ...open,
      method: 'POST',
      doc: {
        ...doc,
        id: `${id}WithBody`,
        summary: `${summary}, with output`,
        description: `${description}\n\nThe body is kept with the ping, and alerts quote it. No key is needed.`,
        body: OUTPUT,
      },
    },
  ] as const satisfies readonly DocumentedOperation[];
}

/**
 * The calls of jobs. The routes of the API do not list them: pings are served past them. A UUID with an exit status and
 * a ping key with a slug are one path here: OpenAPI takes no two that differ in the names of their parameters alone.
 */
export const PING_OPERATIONS: readonly DocumentedOperation[] = [
  ...[SUCCESS, ...NAMED_SIGNALS].flatMap(({ path, id, summary, description }) =>
    pings(`${PING}/{check}${path}`, `ping${id}`, summary, description, BY_UUID),
  ),
  ...pings(
    `${PING}/{key_or_check}/{slug_or_exit_status}`,
    'pingBySlugOrExitStatus',
    'Report a success by slug, or an exit status',
    `\`/ping/<ping key>/<slug>\`: the job of this name in the project of the ping key has succeeded.

\`/ping/<uuid>/<exit status>\`: the job of the check has ended with this exit status. 0 is a success, 1 to 255 are failures.`,
    BY_SLUG,
  ),
  ...[...NAMED_SIGNALS, EXIT_STATUS].flatMap(({ path, id, summary, description }) =>
    pings(`${PING}/{ping_key}/{slug}${path}`, `ping${id}BySlug`, `${summary} by slug`, description, BY_SLUG),
  ),
];
