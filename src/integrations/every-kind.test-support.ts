import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { HttpClient, type HttpResult } from '../lib/http-client.ts';
import type { ShellCommand } from '../lib/shell-thread.ts';
import { printedCalls, recordingPorts, SERVER } from './kind/alert-event.test-support.ts';
import type { AlertEvent } from './kind/alert-event.ts';
import type { Kind, OutboundMail, OutboundRequest } from './kind/kind.ts';
import type { Source } from './kind/setting.ts';
import { CHANNEL_KINDS, type ChannelKind, codeOf, isChannelKind } from './lookup.ts';
import { renderedCalls } from './send/open-channel.ts';
import { acceptedBy } from './send/preview.ts';
import { readSettings } from './settings/channel-settings.ts';

/** A kind, its settings by its own example, and the path of its golden file. */
export interface TriedKind {
  readonly kind: ChannelKind;
  readonly code: Kind;
  readonly settings: Source;
  readonly golden: string;
}

/** All kinds of the list. Whatever is added there is tried without a further line. */
export function everyKind(): TriedKind[] {
  const modules = new Map(listedModules());
  return CHANNEL_KINDS.filter(isChannelKind).map((kind) => {
    const code = codeOf(kind);
    // An example that is not valid fails by a test of its own.
    const settings = readSettings(kind, code.example) as Source;
    return { kind, code, settings, golden: goldenPath(modules.get(kind) ?? '') };
  });
}

/** The lines of `kinds.ts`: `export { pushover as po } from './pushover/pushover.ts';` */
function listedModules(): (readonly [kind: string, path: string])[] {
  const lines = readFileSync(join(import.meta.dirname, 'kinds.ts'), 'utf8');
  return [...lines.matchAll(/export \{ (?:\w+ as )?(\w+) \} from '(.*)';/g)].map(
    ([, kind = '', path = '']) => [kind, path],
  );
}

/** Beside the module, and named like it. */
function goldenPath(path: string): string {
  return join(import.meta.dirname, dirname(path), `${basename(path, '.ts')}.golden`);
}

/** The kind's message for the event, as a golden file shows it. */
export async function printedMessage(
  { code, settings }: Pick<TriedKind, 'code' | 'settings'>,
  event: AlertEvent,
): Promise<string> {
  if (!code.wants(settings, event.to)) return `It does not tell of checks that go ${event.to}.\n`;
  if ('render' in code) {
    const calls = renderedCalls(code, event, settings, SERVER);
    return 'kind' in calls ? `${JSON.stringify(calls)}\n` : printedCalls(calls);
  }
  const ports = recordingPorts((request) => acceptedBy(code, request), code);
  const outcome = await code.deliver(event, settings, ports, SERVER);
  const pieces = [
    printedCalls(ports.requests),
    ...ports.commands.map(printedCommand),
    ...ports.written.map(({ to, bytes }) => `To ${to}:\n${printedBytes(bytes)}\n`),
  ];
  const sent = `${pieces.join('')}${ports.mails.map(printedMail).join('\n')}`;
  return outcome.kind === 'delivered' ? sent : `${sent}${JSON.stringify(outcome)}\n`;
}

function printedCommand({ command, variables }: ShellCommand): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  return `${set.join('')}\n${command}\n`;
}

/** Bytes that are not text are shown by their numbers. */
function printedBytes(bytes: Uint8Array): string {
  return new TextDecoder('utf-8')
    .decode(bytes)
    .replace(/[\p{Cc}--\n]/gv, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function printedMail({ to, subject, headers, text, html, attachments }: OutboundMail): string {
  const lines = Object.entries({ To: to, Subject: subject, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const files = attachments.map(({ filename, contentType }) => `Attached: ${filename} (${contentType})`);
  return [...lines, ...files, '', '=== text ===', text, '=== html ===', html].join('\n');
}

/** A provider's reaction to a request. `accepts` answers as the kind expects it. */
export type ProviderAct = (
  response: ServerResponse,
  accepted: Extract<HttpResult, { status: number }>,
) => void;

const answers =
  (status: number, body = '', headers: Record<string, string> = {}): ProviderAct =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Seconds after which a provider wants to be asked again. */
export const ASKED_PAUSE = 30;
const LATER = { 'Retry-After': String(ASKED_PAUSE) };

export const PROVIDER_ACTS: Readonly<Record<string, ProviderAct>> = {
  'takes it': (response, { status, body }) => void response.writeHead(status).end(body),
  'answers 203': answers(203),
  'answers 400': answers(400),
  'answers 401': answers(401),
  'answers 403': answers(403),
  'answers 404': answers(404),
  'answers 410': answers(410),
  'answers 429, later': answers(429, '', LATER),
  'answers 500': answers(500),
  'answers 503, later': answers(503, '', LATER),
  'says error under 200': answers(
    200,
    '{"ok":false,"success":false,"status":"error","code":9499,"errcode":310000,"StatusCode":1,"error":"no"}',
  ),
  'garbage under 200': answers(200, '\u0000<html>}{ \ud83d'),
  'garbage under 400': answers(400, '[null, {"description": 7}'),
  'hangs up': (response) => void response.socket?.destroy(),
  silence: () => undefined,
};

export interface LocalProvider extends AsyncDisposable {
  /** Sends the request to this server instead of its address. The server reacts as the name says. */
  take(request: OutboundRequest, act: string, code: Kind): Promise<HttpResult>;
}

/** One server for all kinds. Requests reach it through the client that sends real ones. */
export async function startProvider(): Promise<LocalProvider> {
  await using opened = new AsyncDisposableStack();
  const waiting = new Map<string, (response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    request.resume();
    waiting.get(request.url ?? '')?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const options = {
    userAgent: 'test',
    allowPrivateAddresses: true,
    proxies: { http: null, https: null },
    connectionsPerHost: 64,
  };
  const client = opened.use(new HttpClient(options));
  // For providers that do not answer.
  const impatient = opened.use(new HttpClient({ ...options, timeoutMs: 50 }));
  let count = 0;
  const resources = opened.move();
  return {
    take(request, act, code) {
      const path = `/${count++}`;
      waiting.set(path, (response) => PROVIDER_ACTS[act]?.(response, acceptedBy(code, request)));
      const sender = act === 'silence' ? impatient : client;
      return sender.send({ ...request, url: `http://127.0.0.1:${port}${path}` });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
