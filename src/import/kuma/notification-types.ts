import type { ChannelKind } from '../../integrations/registry.ts';
import type { ChangedField } from '../../services/importing/import.ts';
import type { NotificationConfig } from './config.ts';
import type { AssumedServer } from './server.ts';
import {
  kumaWebhook,
  matrixWebhook,
  ntfyWebhook,
  pushoverWebhook,
  reservedReason,
  signalWebhook,
  telegramWebhook,
  type Webhook,
} from './webhooks.ts';

/** An integration that a notification becomes. */
export interface Target {
  readonly kind: ChannelKind;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Tells several integrations of one notification apart. */
  readonly recipient?: string;
  /** Why it has to stay off. */
  readonly off?: string;
  readonly notes?: readonly Omit<ChangedField, 'entry'>[];
}

/** Why a notification becomes none. */
export interface Refusal {
  readonly reason: string;
}

type Mapping = (config: NotificationConfig, server: AssumedServer) => readonly Target[] | Refusal;

const TELEGRAM = 'https://api.telegram.org';

const SHORTER = {
  field: 'body',
  was: 'all that Uptime Kuma knows',
  became: 'heartbeat.status, heartbeat.msg, heartbeat.time, monitor.name, monitor.type, msg',
  reason: 'there is no more to tell here',
};

const WITHOUT_UP = { events: ['down_timeout', 'down_fail'] };

/** Kinds that need nothing but an address. */
function byUrl(kind: ChannelKind, key: string): Mapping {
  return (config) => [{ kind, settings: { url: config.text(key) } }];
}

/** The same, where Kuma may be told not to resolve incidents. */
function incidentByUrl(kind: ChannelKind, key: string, resolves: string): Mapping {
  return (config) => [
    { kind, settings: { url: config.text(key), ...(config.text(resolves) === '0' && WITHOUT_UP) } },
  ];
}

/** By the `type` of Kuma's notifications. */
export const NOTIFICATION_TYPES: Readonly<Record<string, Mapping>> = {
  telegram: (config, server) => {
    const [chat, thread] = [config.text('telegramChatID'), config.text('telegramMessageThreadID')];
    const [token, url] = [config.text('telegramBotToken'), config.text('telegramServerUrl') || TELEGRAM];
    const isNumber = /^-?\d+$/.test(chat);
    if (isNumber && url.replace(/\/+$/, '') === TELEGRAM && server.takes({ TELEGRAM_TOKEN: token })) {
      const thread_id = thread === '' ? {} : { thread_id: Number(thread) };
      return [{ kind: 'telegram', settings: { id: Number(chat), ...thread_id } }];
    }
    const isSilent = config.flag('telegramSendSilently');
    return instead('telegram', telegramWebhook({ server: url, token, chat, thread, isSilent }), [url, token]);
  },
  smtp: (config, server) => {
    server.assumeMail(mailSettings(config));
    const addresses = ['smtpTo', 'smtpCC', 'smtpBCC'].flatMap((key) => config.list(key)).map(bareAddress);
    return [...new Set(addresses)].map((email) => ({ kind: 'email', settings: { email }, recipient: email }));
  },
  discord: byUrl('discord', 'discordWebhookUrl'),
  slack: byUrl('slack', 'slackwebhookURL'),
  mattermost: byUrl('mattermost', 'mattermostWebhookUrl'),
  'rocket.chat': byUrl('rocketchat', 'rocketwebhookURL'),
  teams: byUrl('msteamsw', 'webhookUrl'),
  GoogleChat: byUrl('googlechat', 'googleChatWebhookURL'),
  Feishu: byUrl('lark', 'feishuWebHookUrl'),
  PagerTree: incidentByUrl('pagertree', 'pagertreeIntegrationUrl', 'pagertreeAutoResolve'),
  Splunk: incidentByUrl('victorops', 'splunkRestURL', 'splunkAutoResolve'),
  webhook: (config) => {
    const type = config.text('webhookContentType');
    const given = {
      method: config.text('httpMethod'),
      url: config.text('webhookURL'),
      type,
      headers: config.text('webhookAdditionalHeaders'),
      body: config.text('webhookCustomBody'),
    };
    return webhooks(kumaWebhook(given), type === 'custom' ? [] : [SHORTER]);
  },
  ntfy: (config) => {
    const [url, topic] = [config.text('ntfyserverurl'), config.text('ntfytopic')];
    const up = config.number('ntfyPriority') || 4;
    const down = config.number('ntfyPriorityDown') || Math.min(up + 1, 5);
    const method = config.text('ntfyAuthenticationMethod');
    const token = config.text('ntfyaccesstoken');
    const [user, password] = [config.text('ntfyusername'), config.text('ntfypassword')];
    if (method === 'usernamePassword')
      return instead('ntfy', ntfyWebhook({ url, topic, user, password, priorities: { down, up } }), [
        url,
        topic,
      ]);
    const settings = { url, topic, priority_down: down, priority_up: up };
    return [{ kind: 'ntfy', settings: { ...settings, ...(method === 'accessToken' && { token }) } }];
  },
  gotify: (config) => {
    const priority = config.number('gotifyPriority') || 8;
    const [url, token] = [config.text('gotifyserverurl'), config.text('gotifyapplicationToken')];
    return [{ kind: 'gotify', settings: { url, token, priority_down: priority, priority_up: priority } }];
  },
  pushover: (config, server) => {
    const [user, token] = [config.text('pushoveruserkey'), config.text('pushoverapptoken')];
    const priority = config.number('pushoverpriority') ?? 0;
    if (!server.takes({ PUSHOVER_API_TOKEN: token }))
      return instead('pushover', pushoverWebhook(user, token, priority), [user, token]);
    return [{ kind: 'po', settings: { user_key: user, priority_down: priority, priority_up: priority } }];
  },
  matrix: (config, server) => {
    const url = config.text('homeserverUrl').replace(/\/+$/, '');
    const [room, token] = [config.text('internalRoomId'), config.text('accessToken')];
    return server.takes({ MATRIX_HOMESERVER: url, MATRIX_ACCESS_TOKEN: token })
      ? [{ kind: 'matrix', settings: { room } }]
      : instead('matrix', matrixWebhook(url, room, token), [url, room, token]);
  },
  signal: (config, server) => {
    const recipients = config.list('signalRecipients').map((one) => one.replace(/\s/g, ''));
    const [url, number] = [config.text('signalURL'), config.text('signalNumber')];
    return server.has('SIGNAL_CLI_SOCKET')
      ? recipients.map((recipient) => ({ kind: 'signal', settings: { recipient }, recipient }))
      : instead('signal', signalWebhook(url, number, recipients), [url, number, ...recipients]);
  },
  PagerDuty: (config) => {
    const isEuropean = /\beu\.pagerduty\.com\b/i.test(config.text('pagerdutyIntegrationUrl'));
    const settings = {
      service_key: config.text('pagerdutyIntegrationKey'),
      version: 'v2',
      severity: config.text('pagerdutyPriority') || 'warning',
      ...(isEuropean && { region: 'eu' }),
      ...(config.text('pagerdutyAutoResolve') === '0' && WITHOUT_UP),
    };
    return [{ kind: 'pd', settings }];
  },
  Opsgenie: (config) => [
    {
      kind: 'opsgenie',
      settings: { key: config.text('opsgenieApiKey'), region: config.text('opsgenieRegion') || 'us' },
    },
  ],
  pushbullet: (config) => [{ kind: 'pushbullet', settings: { token: config.text('pushbulletAccessToken') } }],
  apprise: byUrl('apprise', 'appriseURL'),
  HomeAssistant: (config) => [
    {
      kind: 'homeassistant',
      settings: {
        url: config.text('homeAssistantUrl'),
        token: config.text('longLivedAccessToken'),
        action: `notify.${config.text('notificationService') || 'notify'}`,
      },
    },
  ],
  Bark: (config) => {
    const [, url = '', key = ''] =
      /^(.*)\/([^/]*)$/.exec(config.text('barkEndpoint').replace(/\/+$/, '')) ?? [];
    config.text('apiVersion');
    return [{ kind: 'bark', settings: { url, device_key: key } }];
  },
  DingDing: (config) => {
    const secret = config.text('secretKey');
    return [
      { kind: 'dingtalk', settings: { url: config.text('webHookUrl'), ...(secret !== '' && { secret }) } },
    ];
  },
  WeCom: (config) => {
    const url = `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${encodeURIComponent(config.text('weComBotKey'))}`;
    return [{ kind: 'wecom', settings: { url } }];
  },
  twilio: (config) => {
    if (config.text('twilioApiKey') !== '')
      return { reason: 'it has an API key of Twilio; here the auth token of the account is needed' };
    const settings = {
      account: config.text('twilioAccountSID'),
      token: config.text('twilioAuthToken'),
      from: config.text('twilioFromNumber') || config.text('twilioMessagingServiceSID'),
      phone: config.text('twilioToNumber'),
    };
    return [{ kind: 'twilio', settings }];
  },
};

/** Types of which Apprise knows the service. */
export const KNOWN_TO_APPRISE: readonly string[] = [
  ...[
    '46elks',
    'clicksendsms',
    'FreeMobile',
    'line',
    'lunasea',
    'nextcloudtalk',
    'Plivo',
    'PushDeer',
    'PushPlus',
  ],
  ...[
    'pushy',
    'Resend',
    'SendGrid',
    'ServerChan',
    'SevenIO',
    'SMSEagle',
    'SMSManager',
    'techulus',
    'threema',
    'Webpush',
  ],
];

/** Reasons for a webhook in place of a kind. */
const INSTEAD = {
  telegram: 'the kind takes chats by number, with the bot of TELEGRAM_TOKEN',
  ntfy: 'the kind takes a token, and no password',
  pushover: 'PUSHOVER_API_TOKEN is another application',
  matrix: 'MATRIX_HOMESERVER and MATRIX_ACCESS_TOKEN are another account',
  signal: 'SIGNAL_CLI_SOCKET is not set',
};

/** The literal texts in the webhook must not look like placeholders. */
function instead(
  type: keyof typeof INSTEAD,
  { settings, off }: Webhook,
  literals: readonly string[],
): Target[] {
  const note = { field: 'kind', was: type, became: 'webhook', reason: INSTEAD[type] };
  return webhooks({ settings, off: off ?? reservedReason(literals) }, [note]);
}

function webhooks({ settings, off }: Webhook, notes: Target['notes'] = []): Target[] {
  return [{ kind: 'webhook', settings, notes, ...(off !== null && { off }) }];
}

/** The address in `Ops <ops@example.org>`. */
function bareAddress(written: string): string {
  return /<([^<>]*)>$/.exec(written)?.[1] ?? written;
}

function mailSettings(config: NotificationConfig): Readonly<Record<string, string>> {
  const port = config.text('smtpPort') || '587';
  const isSecure = config.flag('smtpSecure');
  const [user, password] = [config.text('smtpUsername'), config.text('smtpPassword')];
  const from = config.text('smtpFrom');
  return {
    EMAIL_HOST: config.text('smtpHost'),
    EMAIL_PORT: port,
    ...(user !== '' && { EMAIL_HOST_USER: user }),
    ...(password !== '' && { EMAIL_HOST_PASSWORD: password }),
    ...(isSecure && { EMAIL_USE_SSL: 'True' }),
    // Kuma encrypts where the server offers it.
    ...((isSecure || port === '25') && { EMAIL_USE_TLS: 'False' }),
    ...(from !== '' && { DEFAULT_FROM_EMAIL: from }),
  };
}
