import { METRICS_SCHEMA } from '../../api/metrics-schema.ts';
import { METRICS } from '../examples.ts';
import { errorReply, jsonReply, type OperationDoc, UNAVAILABLE } from '../operation.ts';

export const getStatus: OperationDoc = {
  id: 'getStatus',
  group: 'Instance',
  summary: 'Test the database',
  description: 'Runs a query. For whatever watches this instance; no API key is needed.',
  responses: {
    200: {
      description: 'The database answered.',
      content: { 'text/html; charset=utf-8': { schema: { const: 'OK' }, examples: { always: 'OK' } } },
    },
    500: errorReply('The database did not answer.', 'the database does not answer'),
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
  description: `For providers that accept a message first and learn later that it cannot be delivered. Nothing happens for a
notification that is unknown or more than an hour old, and the answer does not tell.`,
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
  responses: { 200: { description: 'Always, without a body.' }, 503: UNAVAILABLE },
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
    304: { description: 'It is the one whose `ETag` was sent as `If-None-Match`.' },
  },
};
