import { escapeHtml } from '../../lib/html-escape.ts';
import { type Address, codeHtml, inlineHtml, tableOf } from '../../lib/markdown/html.ts';
import { parseInline, plainText } from '../../lib/markdown/parse.ts';
import { INTEGRATIONS_PAGE } from './pages.ts';
import type { DocSection } from './search.ts';

/** A kind of integration as the documentation tells it. */
export interface DocumentedKind {
  readonly kind: string;
  readonly label: string;
  /** The name of its group. */
  readonly group: string;
  readonly summary: string;
  readonly description: string;
  /** Steps in Markdown. */
  readonly setup: readonly string[];
  /** Settings of the operator with which a person connects it at the provider. Empty: nobody can. */
  readonly connectedBy: readonly string[];
  readonly settings: readonly {
    readonly name: string;
    readonly label: string;
    readonly help: string;
    readonly isRequired: boolean;
    readonly isSecret: boolean;
    /** Whether only the provider can name it. */
    readonly isConnectedOnly: boolean;
    readonly choices: readonly string[];
  }[];
  /** How messages show buttons. Null if they have none. */
  readonly buttons: string | null;
  /** Settings of the operator, with their meaning. */
  readonly server: readonly {
    readonly name: string;
    readonly meaning: string;
    readonly isRequired: boolean;
  }[];
  readonly example: Readonly<Record<string, unknown>>;
  readonly sample: SampleMessage;
}

/** A message that would be sent. */
export interface SampleMessage {
  /** The name of the job, by which the requests are known that tell of it. */
  readonly about: string;
  readonly requests: readonly { readonly method: string; readonly url: string; readonly body: string }[];
  readonly mails: readonly { readonly to: string; readonly subject: string; readonly text: string }[];
}

export const pathOfKind = (kind: string): string => `${INTEGRATIONS_PAGE}${kind}/`;

/** One row for each kind, and whether this instance offers it. */
export function kindTableHtml(
  kinds: readonly DocumentedKind[],
  missing: Readonly<Record<string, string | null>>,
  base: string,
): string {
  const rows = kinds.map(({ kind, label, group, description }) => {
    const lacks = missing[kind] ?? null;
    return [
      `<a href="${escapeHtml(base + pathOfKind(kind))}">${escapeHtml(label)}</a>`,
      lacks === null ? 'Yes' : `No, not set: ${settingsCode(lacks)}`,
      escapeHtml(description),
      escapeHtml(group),
    ];
  });
  return tableOf(['Kind', 'Offered here', 'What it does', 'Group'], rows);
}

export const KIND_SECTIONS = [
  { id: 'set-it-up', title: 'Set it up' },
  { id: 'settings', title: 'Settings' },
  { id: 'message', title: 'A message' },
  { id: 'by-the-api', title: 'By the API' },
] as const;

const heading = (index: 0 | 1 | 2 | 3) => {
  const { id, title } = KIND_SECTIONS[index];
  return `<h2 id="${id}"><a href="#${id}">${title}</a></h2>`;
};

export function kindHtml(
  kind: DocumentedKind,
  missing: string | null,
  root: string,
  address: Address,
): string {
  return `<p class="lead">${escapeHtml(kind.description)}</p>
${offerHtml(kind, missing)}
${heading(0)}
<ol><li>Open <strong>Integrations</strong> in your project, and choose <strong>${escapeHtml(kind.label)}</strong>.</li>${kind.setup
    .map((step) => `<li>${inlineHtml(parseInline(step), address)}</li>`)
    .join('')}<li>Save it, and choose the checks that use it.</li></ol>
${connectionHtml(kind)}
${heading(1)}
${settingsHtml(kind)}
${serverHtml(kind)}
${heading(2)}
<p>About a backup that has failed:</p>
${sampleHtml(kind.sample)}
${heading(3)}
${apiHtml(kind, root, address)}`;
}

function offerHtml({ label }: DocumentedKind, missing: string | null): string {
  if (missing === null) return '';
  return `<p class="note missing">This instance does not offer ${escapeHtml(label)}: whoever runs it has to set ${settingsCode(missing)}.</p>`;
}

/** `A, B or C` with each name as code. */
function settingsCode(names: string): string {
  return escapeHtml(names).replace(/[A-Z0-9_]{2,}/g, '<code>$&</code>');
}

function mustConnect({ settings }: DocumentedKind): boolean {
  return settings.some(({ isConnectedOnly }) => isConnectedOnly);
}

/** Connecting takes the place of the steps, unless it is one of them. */
function connectionHtml(kind: DocumentedKind): string {
  const { label, connectedBy } = kind;
  if (connectedBy.length === 0 || mustConnect(kind)) return '';
  const names = connectedBy.map((name) => `<code>${escapeHtml(name)}</code>`).join(' and ');
  return `<p>Where whoever runs the instance has set ${names}, a button leads to ${escapeHtml(label)} and back instead, and nothing has to be copied.</p>`;
}

function settingsHtml({ settings, buttons }: DocumentedKind): string {
  const rows = settings.map(({ name, label, help, isRequired, isSecret, isConnectedOnly, choices }) => {
    const words = [
      isConnectedOnly ? 'Named by the provider.' : isRequired ? 'Required.' : '',
      help,
      choices.length === 0 ? '' : `One of: ${choices.join(', ')}.`,
      isSecret ? 'Kept encrypted, and masked when shown.' : '',
    ].filter((text) => text !== '');
    return [escapeHtml(label), `<code>${escapeHtml(name)}</code>`, escapeHtml(words.join(' '))];
  });
  rows.push([
    'Tells on',
    '<code>events</code>',
    'Any of <code>down_timeout</code> (a ping did not come), <code>down_fail</code> (the job said that it failed) and <code>up</code>. Everything, if left out.',
  ]);
  if (buttons !== null)
    rows.push([
      'Buttons',
      '<code>buttons</code>',
      `What readers of a message about a check that is down can do at once: <code>answer</code> (acknowledge it, and snooze it for an hour), <code>pause</code> (also pause it) or <code>none</code>. <code>answer</code>, if left out. ${escapeHtml(buttons)}`,
    ]);
  return tableOf(['Setting', 'In the API', 'Meaning'], rows);
}

function serverHtml({ server }: DocumentedKind): string {
  if (server.length === 0) return '';
  const items = server.map(
    ({ name, meaning, isRequired }) =>
      `<li><code>${escapeHtml(name)}</code>${isRequired ? ' (required)' : ''}: ${escapeHtml(meaning)}</li>`,
  );
  return `<p>Whoever runs the instance decides by these settings:</p><ul>${items.join('')}</ul>`;
}

function sampleHtml({ about, requests, mails }: SampleMessage): string {
  const texts = [
    ...mails.map(({ to, subject, text }) => `To: ${to}\nSubject: ${subject}\n\n${text}`),
    ...requests.map(
      ({ method, url, body }) => `${method} ${url}${body === '' ? '' : `\n\n${readable(body)}`}`,
    ),
  ];
  if (texts.length === 0) return '<p>It sends nothing itself: the integrations in it get the message.</p>';
  // Others ask for permission, or open and close a connection.
  const telling = texts.filter((text) => text.includes(about));
  return (telling.length === 0 ? texts : telling).map((text) => codeHtml(text.trimEnd())).join('\n');
}

/** JSON and forms with a line for each value. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // A protocol of its own has signs that nobody can read.
    if (!/^[\w.%+*~-]+=\S*$/.test(body)) return body.replaceAll(/[^\P{Cc}\n\t]|\uFFFD/gu, '');
    return [...new URLSearchParams(body)].map(([name, value]) => `${name}: ${value}`).join('\n');
  }
}

function apiHtml(kind: DocumentedKind, root: string, address: Address): string {
  const api = `<a href="${escapeHtml(address(`${root}/docs/api/`) ?? '')}">API</a>`;
  if (mustConnect(kind))
    return `<p>The ${api} can change an integration that is connected, and cannot make one. A provisioning file of whoever runs the instance can.</p>`;
  return `<p>The same by the ${api}, with a read-write key of the project:</p>
${codeHtml(apiExample(kind, root))}`;
}

function apiExample({ kind, label, example }: DocumentedKind, root: string): string {
  const body = JSON.stringify({ kind, name: label, settings: example }, null, 2).replaceAll("'", "'\\''");
  return `curl ${root}/api/v3/channels/ -H 'X-Api-Key: your key' -d '${body}'`;
}

/** The sections of a kind, for the search. */
export function kindSections(kind: DocumentedKind): DocSection[] {
  const common = { path: pathOfKind(kind.kind), page: kind.label };
  const texts = [
    [kind.description, ...kind.setup.map((step) => plainText(parseInline(step)))],
    [
      ...kind.settings.flatMap(({ name, label, help }) => [name, label, help]),
      kind.buttons ?? '',
      ...kind.server.flatMap(({ name, meaning }) => [name, meaning]),
    ],
  ];
  return texts.map((words, index) => ({
    ...common,
    id: KIND_SECTIONS[index]?.id ?? '',
    heading: KIND_SECTIONS[index]?.title ?? '',
    text: words.filter((word) => word !== '').join(' '),
  }));
}
