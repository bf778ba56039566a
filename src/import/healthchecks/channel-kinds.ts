import { TOLD_EVENTS } from '../../domain/alert/channel.ts';

/** The value of an integration cannot be read as Healthchecks writes it. */
export class UnreadableValue extends Error {
  override readonly name = 'UnreadableValue';
}

export type Settings = Readonly<Record<string, unknown>>;

/** An integration with its text `value` has these settings here. */
type ReadValue = (value: string) => Settings;

const url: ReadValue = (value) => ({ url: value });

/** The address itself, or the answer of Slack when somebody has allowed the app there. */
const slackUrl: ReadValue = (value) =>
  isJson(value) ? { url: part(parsed(value), 'incoming_webhook').url } : { url: value };

const sameKeys: ReadValue = (value) => withoutNulls(parsed(value));

/** Somebody who is told of some events: `{value, up, down}`. */
const recipient =
  (name: string): ReadValue =>
  (value) => {
    const { value: to, up, down } = parsed(value);
    return { [name]: to, ...eventsOf(up, down) };
  };

const withPriorities: ReadValue = (value) => {
  const { priority, priority_up: up, name: _name, ...rest } = withoutNulls(parsed(value));
  return {
    ...rest,
    ...(priority !== undefined && { priority_down: priority }),
    ...(up !== undefined && { priority_up: up }),
  };
};

/** Kinds by their name in Healthchecks, which is also the name here. Groups are read once their members are known. */
export const VALUES: Readonly<Record<string, ReadValue>> = {
  email: (value) => (isJson(value) ? recipient('email')(value) : { email: value }),
  webhook: readWebhook,
  slack: slackUrl,
  mattermost: slackUrl,
  discord: (value) => ({
    url: text(part(parsed(value), 'webhook').url).replace(
      /^https:\/\/discordapp\.com\//i,
      'https://discord.com/',
    ),
  }),
  telegram: sameKeys,
  opsgenie: (value) => (isJson(value) ? sameKeys(value) : { key: value }),
  shell: sameKeys,
  ntfy: withPriorities,
  gotify: withPriorities,
  pd: (value) => ({ service_key: isJson(value) ? parsed(value).service_key : value, version: 'v1' }),
  po: readPushover,
  sms: recipient('phone'),
  whatsapp: recipient('phone'),
  call: (value) => ({ phone: parsed(value).value }),
  signal: recipient('recipient'),
  matrix: (value) => ({ room: value }),
  zulip: readZulip,
  trello: (value) => ({ ...sameKeys(value), on_recovery: 'nothing' }),
  github: (value) => {
    const { labels, ...rest } = withoutNulls(parsed(value));
    const names = Array.isArray(labels) ? labels.map(text).join(', ') : '';
    return { ...rest, labels: names, on_recovery: 'nothing' };
  },
  apprise: url,
  pushbullet: (value) => ({ token: value }),
  msteamsw: url,
  googlechat: url,
  rocketchat: url,
  victorops: url,
  spike: url,
  pagertree: url,
};

/** Kinds that are gone, with the reason and the way out. */
export const GONE_KINDS: Readonly<Record<string, { readonly reason: string; readonly hint: string }>> = {
  msteams: {
    reason: 'Microsoft has ended connectors of Teams',
    hint: 'make a workflow in Teams, and add an integration of the kind msteamsw',
  },
  linenotify: { reason: 'LINE Notify has ended', hint: 'add another integration' },
  hipchat: { reason: 'HipChat has ended', hint: 'add another integration' },
  pagerteam: { reason: 'PagerTeam has ended', hint: 'add another integration' },
  zendesk: {
    reason: 'tickets of Zendesk are not supported',
    hint: 'add an email integration to its address',
  },
};

function readWebhook(value: string): Settings {
  const all = parsed(value);
  const call = (direction: 'down' | 'up') => {
    const address = all[`url_${direction}`];
    if (address === '' || address === undefined || address === null) return null;
    return withoutNulls({
      method: all[`method_${direction}`],
      url: address,
      headers: all[`headers_${direction}`],
      body: all[`body_${direction}`],
    });
  };
  return { down: call('down'), up: call('up') };
}

/** `user|priority when down[|priority when up]` */
function readPushover(value: string): Settings {
  const [user, down = '0', up = down] = value.split('|');
  return { user_key: user, priority_down: Number(down), priority_up: Number(up) };
}

function readZulip(value: string): Settings {
  const settings = withoutNulls(parsed(value));
  const { bot_email: bot, site } = settings;
  if (text(site) !== '') return settings;
  return { ...settings, site: `https://${text(bot).split('@').at(-1) ?? ''}` };
}

function eventsOf(up: unknown, down: unknown): Settings {
  if (up !== false && down !== false) return {};
  return { events: TOLD_EVENTS.filter((event) => (event === 'up' ? up : down) !== false) };
}

function isJson(value: string): boolean {
  return value.trimStart().startsWith('{');
}

function parsed(value: string): Settings {
  try {
    return record(JSON.parse(value));
  } catch {
    // The parser's message would repeat the value, which is a secret.
    throw new UnreadableValue('its settings cannot be read');
  }
}

function part(settings: Settings, name: string): Settings {
  return record(settings[name]);
}

function record(value: unknown): Settings {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableValue('its settings cannot be read');
  return { ...value };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function withoutNulls(settings: Settings): Settings {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null && value !== undefined),
  );
}
