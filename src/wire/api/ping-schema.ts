import {
  component,
  instant,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  url,
  uuid,
} from '../openapi/schema.ts';
import type { PingJson } from './ping-output.ts';

export const PING_SCHEMA = component(
  'Ping',
  object<PingJson>({
    type: oneOf(
      ['success', 'start', 'fail', 'log', 'ign'],
      'What the ping meant. An `ign` was stored and otherwise ignored.',
    ),
    date: instant('When it arrived, to the microsecond.'),
    n: integer('Its number within the check, counted from 1.', { minimum: 1 }),
    scheme: text('How it came: `http`, `https` or `email`.'),
    remote_addr: nullable(text('Address of the client.')),
    method: text('Method of the HTTP request; empty for e-mail.'),
    ua: text('User agent of the client, or the sender of the e-mail.'),
    rid: nullable(uuid('The run it belongs to, where the client said so.')),
    body_url: nullable(url('Where to get its body; null when it had none.')),
    duration: optional(
      number('Seconds since the start signal of the same run. Only on a ping that ended a run.', {
        minimum: 0,
      }),
    ),
    occurred: optional(
      instant('When the thing happened that it reports. Only on a ping that came late, with `age`.'),
    ),
  }),
);
