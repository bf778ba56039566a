import { METRICS_SCHEMA } from '../../api/metrics-schema.ts';
import { readinessJson } from '../../api/readiness-output.ts';
import { READINESS_SCHEMA } from '../../api/readiness-schema.ts';
import { INSTANCE_METRICS_TYPE } from '../../metrics/instance.ts';
import { METRICS } from '../examples.ts';
import { errorReply, jsonReply, type OperationDoc, UNAVAILABLE, UNCHANGED } from '../operation.ts';

export const getStatus: OperationDoc = {
  id: 'getStatus',
  group: 'Instance',
  summary: 'Test the database',
  description: `Reads a row on the connections that serve requests, past what they remember of the database's file. The answer
is shared by all who ask within a second. For whatever watches this instance; no API key is needed.`,
  responses: {
    200: {
      description: 'The database answered.',
      content: { 'text/html; charset=utf-8': { schema: { const: 'OK' }, examples: { always: 'OK' } } },
    },
    500: errorReply('The database did not answer.', 'the database does not answer'),
  },
};

export const getReadiness: OperationDoc = {
  id: 'getReadiness',
  group: 'Instance',
  summary: 'Ask whether alerts are in time',
  description: `For whoever is to be rung when the monitor itself fails; no API key is needed. The node is not ready when its
database is away, when it has written nothing for half a minute or refused pings for as long, when a deadline or a message is
late by more than a minute, when no tick of a loop has succeeded within its rest and a minute, or when its clock is far from
the database's. Each loop has a reason of its own, such as \`reports_silent\`. A provider that does not take messages is no reason, nor is a check that cannot be evaluated.

Do not take nodes out of a load balancer for this: a node whose alerts are late still takes pings.`,
  responses: {
    200: jsonReply('The node is ready.', READINESS_SCHEMA.json, { ready: readinessJson([]) }),
    503: jsonReply('It is not.', READINESS_SCHEMA.json, {
      'the database is away': readinessJson(['database_away']),
      'the disk is full': readinessJson(['writes_failing', 'pings_failing', 'deadlines_silent']),
    }),
  },
};

const plainReply = (description: string, text: string) => ({
  description,
  content: {
    'text/plain; charset=utf-8': { schema: { type: 'string' as const }, examples: { example: text } },
  },
});

export const getAcceptance: OperationDoc = {
  id: 'getAcceptance',
  group: 'Instance',
  summary: 'Ask whether pings are taken',
  description: `For load balancers; no API key is needed. A node takes pings while its database can be written, also when its
alerts are late.`,
  responses: {
    200: plainReply('A ping would be acknowledged.', 'yes'),
    503: plainReply('It would not: the reasons, or how far the start is.', 'database_away, writes_failing'),
  },
};

export const getLiveness: OperationDoc = {
  id: 'getLiveness',
  group: 'Instance',
  summary: 'Ask whether the process runs',
  description: `Answers from the first moment of the start, before the database is open; no API key is needed. Only a process that
does not answer this is helped by a restart.`,
  responses: { 200: plainReply('It runs.', 'alive') },
};

const SCRAPED = `# HELP tocsin_ready Whether this node is ready (1 for yes, 0 for no).
# TYPE tocsin_ready gauge
tocsin_ready 1
`;

export const scrapeInstance: OperationDoc = {
  id: 'scrapeInstance',
  group: 'Instance',
  summary: 'Scrape a node',
  description: `How the node is doing, in the text format of Prometheus: pings by what became of them, how late alerts are, what has
piled up. Open only where the operator has set a key for it, which can also be sent as a bearer token.`,
  responses: {
    200: {
      description: 'The metrics. Without its database a node tells only of itself.',
      content: {
        [INSTANCE_METRICS_TYPE]: { schema: { type: 'string' }, examples: { 'one family': SCRAPED } },
      },
    },
    403: errorReply('The key is missing or wrong, or none is set.', 'wrong metrics key'),
  },
};

export const getMetrics: OperationDoc = {
  id: 'getMetrics',
  group: 'Instance',
  summary: 'Get the progress of the instance',
  description:
    'How far receiving and notifying have come. Open only where the operator has set a key for it.',
  responses: {
    200: jsonReply('The numbers.', METRICS_SCHEMA.json, { 'all caught up': METRICS }),
    403: errorReply('The key is missing or wrong, or none is set.', 'wrong metrics key'),
    503: UNAVAILABLE,
  },
};

export const reportDelivery: OperationDoc = {
  id: 'reportDelivery',
  group: 'Instance',
  summary: 'Report on a notification',
  description: `For providers that accept a message first and learn later that it cannot be delivered. The UUID is part of an
address that only the provider was given; it is not the id of the delivery, which is in every message. Nothing happens for
any other UUID, nor for a notification that is more than an hour old, and the answer does not tell.`,
  body: {
    description: 'A form. Other fields are ignored.',
    contentType: 'application/x-www-form-urlencoded',
    schema: {
      type: 'object',
      properties: {
        error: { type: 'string', description: 'What went wrong; up to 200 characters are kept.' },
        mark_disabled: { type: 'string', description: 'Anything at all disables the integration.' },
        MessageStatus: { type: 'string', description: '`failed` or `undelivered`, as SMS providers say it.' },
        CallStatus: { type: 'string', description: '`failed`, as telephone providers say it.' },
      },
    },
    examples: { 'a full mailbox': { error: 'Mailbox is full' } },
  },
  responses: {
    200: { description: 'For every UUID, without a body.' },
    404: errorReply('The address does not hold a UUID.', 'not found'),
    503: UNAVAILABLE,
  },
};

export const reportBounce: OperationDoc = {
  id: 'reportBounce',
  group: 'Instance',
  summary: 'Report a bounced e-mail',
  description: `For the mail server that receives what is sent to the addresses of \`EMAIL_MAIL_FROM_TMPL\`. The signed address in
the header field \`To\` says which message it was, for 48 hours. A failure for good disables the integration; any other is shown
as its last error. A report that comes back for good stops reports and reminders to that account. Up to 32 MiB are taken, of
which the first is read.`,
  body: {
    description: 'The message as it came: a delivery status notification (RFC 3464).',
    contentType: 'message/rfc822',
    schema: { type: 'string' },
    examples: {
      'no such mailbox': [
        'To: n.e3a0e0b4-5f2b-4a5b-9b1c-0d6e3d9d7c11.65e1c2c0.0123456789abcdef@bounces.example.org',
        'Content-Type: multipart/report; report-type=delivery-status; boundary=part',
        '',
        '--part',
        'Content-Type: message/delivery-status',
        '',
        'Final-Recipient: rfc822; alice@example.org',
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550 5.1.1 No such user',
        '',
        '--part--',
      ].join('\r\n'),
    },
  },
  responses: {
    200: {
      description: 'Always. What was made of it is said for whoever sets it up.',
      content: {
        'text/html; charset=utf-8': {
          schema: {
            enum: [
              'OK',
              'OK (bad signature)',
              'OK (ignored)',
              'OK (notification not found)',
              'OK (user not found)',
            ],
          },
          examples: { 'it was recorded': 'OK', 'the address is wrong or old': 'OK (bad signature)' },
        },
      },
    },
    503: UNAVAILABLE,
  },
};

export const getOpenApi: OperationDoc = {
  id: 'getOpenApi',
  group: 'Instance',
  summary: 'Get this document',
  description: 'The description of the API that you are reading, in OpenAPI 3.1.',
  responses: {
    200: jsonReply(
      'The document.',
      { type: 'object', additionalProperties: true },
      {
        'how it begins': { openapi: '3.1.1', info: { title: 'Tocsin API', version: '3' } },
      },
    ),
    304: UNCHANGED,
  },
};
