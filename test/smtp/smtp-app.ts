import { after, before } from 'node:test';
import pino from 'pino';
import type { Project } from '../../src/domain/people/project.ts';
import type { PingTarget } from '../../src/domain/ping/incoming-ping.ts';
import { findMailRecipients } from '../../src/services/ping/mail-recipients.ts';
import { setPingKey } from '../../src/services/project/projects.ts';
import { type SmtpOptions, type SmtpServer, startSmtpServer } from '../../src/smtp/server.ts';
import type { TestApp } from '../app.ts';

export const DOMAIN = 'ping.example.org';

/** The port of a mail listener for all tests of a suite, on top of its app. */
export function sharedSmtp(app: () => TestApp, options: Partial<SmtpOptions> = {}): () => number {
  let server: SmtpServer | undefined;
  before(async () => {
    const { pings, deps } = app();
    const findRecipients = (targets: readonly PingTarget[]) => findMailRecipients(deps, targets);
    server = await startSmtpServer(
      { pings, findRecipients },
      {
        host: '127.0.0.1',
        port: 0,
        domain: DOMAIN,
        bodyLimit: 1_048_576,
        log: pino({ level: 'silent' }),
        ...options,
      },
    );
  });
  after(() => server?.[Symbol.asyncDispose]());
  return () => {
    if (server === undefined) throw new Error('the listener is there only while tests run');
    return server.port;
  };
}

/** A ping key of the length that mail addresses take. */
export async function givenMailKey(app: TestApp, project: Project, length = 22): Promise<string> {
  const key = `K_-${app.deps.random.uuid().replaceAll('-', '')}`.padEnd(length, 'x').slice(0, length);
  await app.deps.store.transaction((tx) => setPingKey(app.deps, tx, project, key));
  return key;
}
