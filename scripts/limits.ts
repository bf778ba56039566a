/**
 * Every limit that somebody outside may meet; `npm run limits` makes the table in docs/security.md of them.
 * A limit is one line: what is limited, the constant or setting by its name, its unit, and what happens beyond it.
 */
import { MAX_HAND_BODY } from '../src/acts/limits.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { MAX_VISITOR_SESSIONS } from '../src/demo/parts.ts';
import { VISITOR_REQUESTS_PER_MINUTE } from '../src/demo/visitors.ts';
import { MAX_PROJECT_CHANNELS } from '../src/domain/alert/channel.ts';
import { CONFIRMATION_CODE_LIFE } from '../src/domain/alert/confirmation-code.ts';
import { MAX_RESTORABLE_CHECKS } from '../src/domain/check/check-deletion.ts';
import { MAX_PARENTS } from '../src/domain/check/check-links.ts';
import { MAX_EXIT_TERMS } from '../src/domain/check/exit-map.ts';
import { MAX_DECLARATION } from '../src/domain/check/job-declaration.ts';
import { MAX_LISTED } from '../src/domain/check/occurrences.ts';
import {
  MAX_DECLARED_NUMBERS,
  MAX_EARLY_SECONDS,
  MAX_EXIT_MAP,
  MAX_LIMIT_SECONDS,
} from '../src/domain/check/run-rules.ts';
import { MAX_LANE_RUNS } from '../src/domain/history/timeline.ts';
import { MAX_ACCOUNT_TOKENS, MAX_TOKEN_PROJECTS } from '../src/domain/people/account-token.ts';
import {
  EXPIRED_KEYS_KEPT,
  MAX_OVERLAP_HOURS,
  MAX_PING_KEY,
  MAX_PROJECT_KEYS,
  MIN_PING_KEY,
} from '../src/domain/people/api-key.ts';
import { MAX_LOGGED_ITEMS, MAX_LOGGED_TEXT } from '../src/domain/people/audit.ts';
import { MAX_SUBJECT_LENGTH, PROVIDER_SIGN_IN_SECONDS } from '../src/domain/people/identity.ts';
import { MAX_PROJECT_INVITATIONS, MAX_SHOWN_INVITATIONS } from '../src/domain/people/invitation.ts';
import { CONFIRMATION_CODE_SPAN, MAILED_LINK_SPAN, SHOWN_LINK_SPAN } from '../src/domain/people/link.ts';
import { CHALLENGE_SPAN, MAX_PASSKEYS } from '../src/domain/people/passkey.ts';
import { MIN_PASSWORD_LENGTH } from '../src/domain/people/password-rules.ts';
import { MAX_OWNED_PROJECTS, MAX_PROJECT_MEMBERS } from '../src/domain/people/project.ts';
import { AUTHENTICATOR_SETUP_SPAN, SECOND_FACTOR_SPAN } from '../src/domain/people/second-factor.ts';
import { MAX_SESSIONS, MAX_SHOWN_SIGN_INS, MAX_USER_AGENT, SUDO_SPAN } from '../src/domain/people/session.ts';
import { SEARCHED_BODY_BYTES } from '../src/domain/ping/keyword-filter.ts';
import { MAX_NUMBER_LINE, MAX_NUMBERS } from '../src/domain/ping/numbers.ts';
import { MAX_LISTED_PINGS, MAX_PING_AGE_SECONDS } from '../src/domain/ping/ping.ts';
import { MAX_LINE, MAX_WHOLE_BODY } from '../src/domain/ping/ping-body.ts';
import {
  MAX_AGAIN,
  MAX_POLICY_SECONDS,
  MAX_STEP_CHANNELS,
  MAX_STEPS,
} from '../src/domain/policy/policy-limits.ts';
import {
  MAX_CALENDAR_SECONDS,
  MAX_CALENDARS,
  MAX_EXCEPT_DATES,
} from '../src/domain/policy/stored-calendar.ts';
import { MAX_POLICIES, MAX_TAG_POLICIES } from '../src/domain/policy/stored-policy.ts';
import {
  MAX_NOTICE_UPDATES,
  MAX_SHOWN_NOTICES,
  MAX_SHOWN_UPDATES,
  MAX_STATUS_COMPONENTS,
  MAX_STATUS_NOTICES,
  MAX_STATUS_PAGES,
} from '../src/domain/public/status-page.ts';
import { MAX_WALLS } from '../src/domain/public/wall.ts';
import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS, MAX_VIEW_QUERY } from '../src/domain/saved-view.ts';
import { MAX_CRONTAB, MAX_CRONTAB_JOBS } from '../src/domain/schedule/crontab-limits.ts';
import { MAX_PASTED } from '../src/domain/schedule/pasted.ts';
import { MAX_EXPRESSION } from '../src/domain/schedule/schedule.ts';
import { MAX_WEBHOOK_HEADERS, TEXT_LIMITS } from '../src/domain/text-limits.ts';
import { MAX_PING_WAIT_SECONDS, MAX_WAITING_PINGS, MAX_WAITING_PINGS_PER_CLIENT } from '../src/http/door.ts';
import * as http from '../src/http/limits.ts';
import { OUR_LIMIT } from '../src/integrations/kind/limits.ts';
import { MAX_ANSWER } from '../src/integrations/send/exchange.ts';
import * as httpClient from '../src/lib/http-client.ts';
import { MICROS_PER_SECOND } from '../src/lib/instant.ts';
import * as mailSender from '../src/lib/mail-sender.ts';
import { MAX_REPORT_SCAN } from '../src/lib/mime/delivery-report.ts';
import { MAX_ENCODED_WORDS } from '../src/lib/mime/encoded-words.ts';
import { MAX_DEPTH, MAX_PARTS, SCANS_PER_BYTE } from '../src/lib/mime/mail-content.ts';
import { MAX_HTML_DEPTH, MAX_HTML_LENGTH } from '../src/lib/mime/safe-html.ts';
import { OPENID_TIMEOUT_MS } from '../src/lib/openid.ts';
import { MAX_SHELL_COMMANDS, SHELL_TIMEOUT_MS } from '../src/lib/shell-thread.ts';
import { MAX_RECEIVED_BYTES } from '../src/lib/socket-client.ts';
import { MAX_LANGUAGE } from '../src/lib/text/date-style.ts';
import { MESSAGE_LIMITS } from '../src/node/node.ts';
import { PERSON_WAITS_MS } from '../src/notifier/test-sender.ts';
import { MAX_LISTING } from '../src/objects/s3.ts';
import { PROVISION_LIMITS } from '../src/provision/document.ts';
import { READER_LIMITS } from '../src/reader-thread.ts';
import { MAX_CHOICES } from '../src/services/alert/channel-connections.ts';
import { CHECK_WRITER_DEFAULTS } from '../src/services/check/check-writer.ts';
import { MAX_WAITING_USES } from '../src/services/core/key-uses.ts';
import { MAX_PORTION } from '../src/services/core/rate-buckets.ts';
import { MAX_CHECK_ACTS, MAX_EXAMINED_ACTS, MAX_PAGE_ACTS } from '../src/services/history/audit-log.ts';
import { MAX_SEARCHED_BODY, MAX_SEARCHED_BYTES } from '../src/services/history/event-bodies.ts';
import { MAX_EXAMINED_PINGS, MAX_PAGE_EVENTS, MAX_RUN_SIGNALS } from '../src/services/history/event-log.ts';
import { MAX_LISTED_FROM } from '../src/services/history/run-list.ts';
import { MAX_LANE_PINGS, MAX_LANES } from '../src/services/history/timeline.ts';
import { ATTEMPT_RULES } from '../src/services/people/attempts.ts';
import { MAX_SUGGESTED_PEOPLE } from '../src/services/people/invitations.ts';
import { PASSWORD_LIMITS } from '../src/services/people/password-work.ts';
import { VISIT_SPAN } from '../src/services/people/visits.ts';
import { PING_WRITER_DEFAULTS } from '../src/services/ping/ping-writer.ts';
import { METRICS_LIMITS } from '../src/services/public/project-metrics.ts';
import { MAX_KEPT_STATUS_BYTES, MAX_STATUS_AGE } from '../src/services/public/public-status.ts';
import { MAX_KEPT_BADGES } from '../src/services/public/tag-badges.ts';
import { MAX_REMEMBERED_PEOPLE } from '../src/services/sign-up/remote-user.ts';
import { MAIL_READER_DEFAULTS } from '../src/smtp/mail-reader.ts';
import { SMTP_LIMITS } from '../src/smtp/server.ts';
import * as smtpSession from '../src/smtp/session.ts';
import { KEPT_BYTES } from '../src/storage/sql/kept-runs.ts';
import { MAX_KEPT_CHECKS, MAX_KEPT_HISTORIES } from '../src/views/check-boards.ts';
import {
  MAX_CHANNEL_DELIVERIES,
  MAX_EARLIER_TROUBLES,
  MAX_EXAMINED_ENTRIES,
  MAX_PAGE_ENTRIES,
  MAX_PAGE_RUNS,
  MAX_TIMELINE_SECONDS,
  MAX_TRIED_TEXT,
  MAX_TROUBLE_PINGS,
} from '../src/views/limits.ts';
import { MAX_KEPT_PROJECTS } from '../src/views/project-counts.ts';
import { MAX_BODY_MARKS } from '../src/wire/api/body.ts';
import { CALLBACK_FORM_BYTES } from '../src/wire/api/callback-input.ts';
import { MAX_ASSIGNED_CHECKS } from '../src/wire/api/channel-input.ts';
import { MAX_RUN_LIMIT } from '../src/wire/api/runs.ts';
import {
  MAX_ASKED_ROWS,
  MAX_DETAILED,
  MAX_LISTED_UUIDS,
  MAX_NEXT_LENGTH,
  MAX_SEARCH,
} from '../src/wire/dashboard/limits.ts';
import { MAX_ASKED_PROJECTS } from '../src/wire/dashboard/live-input.ts';
import { MAX_MARKDOWN_PIECES } from '../src/wire/dashboard/markdown-output.ts';
import { MAX_DOCS_QUERY } from '../src/wire/docs/search.ts';

export type Unit = 'bytes' | 'ms' | 'seconds' | 'days' | 'characters' | '';

export interface Limit {
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** The name of a constant, or of a setting. */
  readonly name: string;
  /** The file that owns the constant; null for a setting. */
  readonly file: string | null;
  readonly beyond: string;
}

type Row<T> = readonly [what: string, limit: T, unit: Unit, beyond: string];

const { DEFAULT_TIMEOUT_MS, MAX_BODY_BYTES, MAX_REDIRECTS, DEFAULT_CONNECTIONS_PER_HOST } = httpClient;
const { TIMEOUT_MS, MAX_CONNECTIONS } = mailSender;
const { API_BODY_LIMIT, MAX_KEYLESS_BODY_BYTES, LONG_PING_BODY_BYTES, MAX_HEADER_BYTES, MAX_HEADERS } = http;
const { BODY_BYTES_PER_TOKEN, BUSY_PROJECTS_PER_ACCOUNT } = http;
const { MAX_LIMITED_ADDRESSES, MAX_REFUSED_ATTEMPTS_PER_MINUTE } = http;
const { maxConnectionMs, maxUnreadAnswerMs, maxSendingMs } = http.HTTP_LIMITS;
const { maxPipelinedRequestsPerConnection, maxPipelinedRequests } = http.HTTP_LIMITS;
const { maxPingBodyBytes, maxApiBodyBytes } = http.HTTP_LIMITS;
const { maxSessionRequestBurst, maxSessionRequestsPerMinute } = http.HTTP_LIMITS;
const { maxStreams, maxStreamsPerAccount, maxUnreadStreamBytes } = http.HTTP_LIMITS;
const { maxQueuedPings, maxQueuedBytes, maxQueuedGroupBytes, maxBatchSize, maxBatchBytes } =
  PING_WRITER_DEFAULTS;
const { maxQueuedCommands, maxQueuedCommandBytes } = CHECK_WRITER_DEFAULTS;
const { maxConcurrentHashes, maxConcurrentOldHashes, maxQueuedHashes } = PASSWORD_LIMITS;
const { maxQueued, maxOpenAnswers } = READER_LIMITS;
const { maxKeptMetricsBytes, maxAllKeptMetricsBytes, maxUnfinishedMetricsBytes } = METRICS_LIMITS;
const { maxMessageBytes, maxBufferedBytes, maxBufferedBytesPerAddress } = SMTP_LIMITS;
const { maxConnections, maxConnectionsPerAddress } = SMTP_LIMITS;
const { idleTimeoutMs, writeTimeoutMs, sessionTimeoutMs } = SMTP_LIMITS;
const { maxQueuedMails, maxReadMs } = MAIL_READER_DEFAULTS;
const { maxConcurrent, maxConcurrentPerDestination } = MESSAGE_LIMITS;
const { MAX_RECIPIENTS, MAX_REJECTED_RECIPIENTS, MAX_FAULTS, MAX_COMMANDS, MAX_MESSAGES } = smtpSession;

/** See `src/lib/shares.ts`. */
const SHARED = '503 with `Retry-After`; one account gets half of it at the most';

export const LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  'Connections and requests': [
    ...settings([
      ['Connections', 'MAX_CONNECTIONS', '', 'one that has asked for nothing, or idles, is closed, else 503'],
      ['Connections of one address', 'MAX_CONNECTIONS_PER_ADDRESS', '', 'the same among its own'],
      ['A request, from its first byte to its last', 'REQUEST_TIMEOUT', 'seconds', '408'],
      [
        'API requests of a project, or of an account by its tokens, in a burst',
        'API_RATE_BURST',
        '',
        '429 with `Retry-After`',
      ],
      ['Those a minute, after it', 'API_RATE_LIMIT', '', '429 with `Retry-After`'],
      [
        'Requests of an address a minute without a valid key',
        'PUBLIC_RATE_LIMIT',
        '',
        '429 with `Retry-After`',
      ],
    ]),
    ...constants('src/services/core/rate-buckets.ts', [
      [
        'API requests that a node takes from its project in advance',
        { MAX_PORTION },
        '',
        'it asks again; so many for each node may come on top of the burst',
      ],
    ]),
    ...constants('src/http/door.ts', [
      ['Pings that wait while a node starts', { MAX_WAITING_PINGS }, '', '503 with `Retry-After`'],
      ['The same of one client', { MAX_WAITING_PINGS_PER_CLIENT }, '', '503 with `Retry-After`'],
      ['Their wait', { MAX_PING_WAIT_SECONDS }, 'seconds', '503 with `Retry-After`'],
    ]),
    ...constants('src/http/limits.ts', [
      [
        'Projects whose API requests one account may use up on a node, in a burst and a minute',
        { BUSY_PROJECTS_PER_ACCOUNT },
        '',
        '429 with `Retry-After`, in all its projects',
      ],
      [
        'Addresses whose requests are counted',
        { MAX_LIMITED_ADDRESSES },
        '',
        'the one that asked longest ago is forgotten',
      ],
      [
        'Refused attempts of one sender a minute, such as passwords beyond their limit',
        { MAX_REFUSED_ATTEMPTS_PER_MINUTE },
        '',
        '429 before the request is read',
      ],
      ['A connection, from its beginning', { maxConnectionMs }, 'ms', 'it is closed with its next answer'],
      ['An answer of which nothing is read', { maxUnreadAnswerMs }, 'ms', 'the connection is cut off'],
      ['Answers that are always being read', { maxSendingMs }, 'ms', 'the connection is cut off'],
      [
        'Requests on a connection before the answer to the first',
        { maxPipelinedRequestsPerConnection },
        '',
        'the last one closes it',
      ],
      ['The same on all connections', { maxPipelinedRequests }, '', 'the connection is cut off'],
      ['Headers of a request', { MAX_HEADER_BYTES }, 'bytes', '431'],
      ['How many of them are looked at', { MAX_HEADERS }, '', 'the others are passed over'],
      [
        'A body that counts as one request',
        { BODY_BYTES_PER_TOKEN },
        'bytes',
        'a longer one counts as several',
      ],
      ['The body of an API request', { API_BODY_LIMIT }, 'bytes', '400'],
      ['The same without a key in its header', { MAX_KEYLESS_BODY_BYTES }, 'bytes', '401'],
      ['All such bodies together', { maxApiBodyBytes }, 'bytes', '503 with `Retry-After`'],
    ]),
    ...constants('src/wire/api/body.ts', [
      ['Opening brackets and commas in it, outside of texts', { MAX_BODY_MARKS }, '', '400'],
    ]),
    ...constants('src/wire/api/callback-input.ts', [
      ['What is read of a callback', { CALLBACK_FORM_BYTES }, 'bytes', 'the rest is passed over'],
    ]),
    ...constants('src/lib/mime/delivery-report.ts', [
      ['What is read of a returned mail', { MAX_REPORT_SCAN }, 'bytes', 'the rest is passed over'],
    ]),
    ...constants('src/reader-thread.ts', [
      ['Lists, badges and metrics that wait for a thread', { maxQueued }, '', SHARED],
      ['Those of a thread that are being sent', { maxOpenAnswers }, '', SHARED],
    ]),
    ...constants('src/services/public/project-metrics.ts', [
      [
        'Metrics of a project that are kept for all who ask',
        { maxKeptMetricsBytes },
        'bytes',
        'longer ones are made for each',
      ],
      [
        'Those of all projects',
        { maxAllKeptMetricsBytes },
        'bytes',
        'those asked for longest ago are forgotten',
      ],
      [
        'Those that are being made',
        { maxUnfinishedMetricsBytes },
        'bytes',
        'more are made for each who asks',
      ],
    ]),
    ...constants('src/services/public/tag-badges.ts', [
      [
        'Badges of tags whose counts are kept',
        { MAX_KEPT_BADGES },
        '',
        'the one that was asked for longest ago is forgotten',
      ],
    ]),
    ...constants('src/domain/public/status-page.ts', [
      ['Public status pages of a project', { MAX_STATUS_PAGES }, '', 'refused'],
      ['Components of a status page', { MAX_STATUS_COMPONENTS }, '', 'refused'],
      ['Incidents and maintenances that a status page keeps', { MAX_STATUS_NOTICES }, '', 'refused'],
      ['Updates of an incident', { MAX_NOTICE_UPDATES }, '', 'refused'],
      [
        'Incidents and maintenances that a status page shows',
        { MAX_SHOWN_NOTICES },
        '',
        'what is open is shown, then what is planned, then what was over last',
      ],
      [
        'Updates that a status page shows',
        { MAX_SHOWN_UPDATES },
        '',
        'the newest of each incident are shown',
      ],
    ]),
    ...constants('src/domain/policy/stored-policy.ts', [
      ['Policies of a project', { MAX_POLICIES }, '', 'refused'],
      ['Tags of a project with policies', { MAX_TAG_POLICIES }, '', 'refused'],
    ]),
    ...constants('src/domain/policy/stored-calendar.ts', [
      ['Calendars of a project', { MAX_CALENDARS }, '', 'refused'],
      ['Days that a calendar leaves out', { MAX_EXCEPT_DATES }, '', 'refused'],
      ['Hours of a calendar', { MAX_CALENDAR_SECONDS }, 'seconds', 'refused'],
    ]),
    ...constants('src/domain/policy/policy-limits.ts', [
      ['Steps of a policy', { MAX_STEPS }, '', 'refused'],
      ['Integrations of a step', { MAX_STEP_CHANNELS }, '', 'refused'],
      ['Repeats of a message', { MAX_AGAIN }, '', 'refused'],
      ['Time of a rule of a policy', { MAX_POLICY_SECONDS }, 'seconds', 'refused'],
    ]),
    ...constants('src/domain/public/wall.ts', [['Wall displays of a project', { MAX_WALLS }, '', 'refused']]),
    ...constants('src/acts/limits.ts', [
      ['Body of a ping that somebody sends from a page', { MAX_HAND_BODY }, 'characters', 'refused'],
    ]),
    ...constants('src/domain/saved-view.ts', [
      ['Views of a project that one person keeps', { MAX_OWN_VIEWS }, '', 'refused'],
      ['Views of a project that everybody in it sees', { MAX_SHARED_VIEWS }, '', 'refused'],
      ['What a view shows, as the query of an address', { MAX_VIEW_QUERY }, 'characters', 'refused'],
    ]),
    ...constants('src/services/public/public-status.ts', [
      [
        'Memory for public status pages that are kept for those who ask',
        { MAX_KEPT_STATUS_BYTES },
        'bytes',
        'the one that was asked for longest ago is forgotten',
      ],
      ...spans([['Such a page, from when it was made', { MAX_STATUS_AGE }, 'it is made again']]),
    ]),
    ...constants('src/wire/docs/search.ts', [
      ['A search in the documentation', { MAX_DOCS_QUERY }, 'characters', 'the rest is passed over'],
    ]),
    ...constants('src/views/project-counts.ts', [
      [
        'Projects whose counts one thread keeps, for the lists of people',
        { MAX_KEPT_PROJECTS },
        '',
        'the one that was asked for longest ago is forgotten',
      ],
    ]),
    ...constants('src/services/check/check-writer.ts', [
      ['Writes of checks that wait for a commit', { maxQueuedCommands }, '', SHARED],
      ['All of them, and those being written', { maxQueuedCommandBytes }, 'bytes', '503 with `Retry-After`'],
    ]),
  ],

  Pings: [
    ...settings([
      ['What is kept of a body', 'PING_BODY_LIMIT', 'bytes', 'the ping counts, the rest is dropped'],
    ]),
    ...constants('src/domain/ping/keyword-filter.ts', [
      [
        'A body that is searched for keywords and numbers',
        { SEARCHED_BODY_BYTES },
        'bytes',
        'the rest is not searched',
      ],
    ]),
    ...constants('src/domain/check/job-declaration.ts', [
      [
        'A query that declares a check',
        { MAX_DECLARATION },
        'characters',
        'the ping counts, the check stays as it is',
      ],
    ]),
    ...constants('src/domain/ping/ping.ts', [
      ['The age of what a late ping reports', { MAX_PING_AGE_SECONDS }, 'seconds', '400'],
      ['Pings that the API lists', { MAX_LISTED_PINGS }, '', 'older ones are not listed'],
    ]),
    ...constants('src/wire/api/runs.ts', [
      ['Runs of a page of the API', { MAX_RUN_LIMIT }, '', '400; the next page has more'],
    ]),
    ...constants('src/storage/sql/kept-runs.ts', [
      ['The output of a run whose ping is gone', { KEPT_BYTES }, 'bytes', 'its end is kept'],
    ]),
    ...constants('src/domain/check/occurrences.ts', [
      [
        'Runs between two ends that did not come and are listed',
        { MAX_LISTED },
        '',
        'the others are counted',
      ],
    ]),
    ...constants('src/http/limits.ts', [
      [
        'All bodies together',
        { maxPingBodyBytes },
        'bytes',
        'the ping counts, with what has come of its body',
      ],
      [
        'A body while half of that is taken',
        { LONG_PING_BODY_BYTES },
        'bytes',
        'the ping counts, with what has come of its body',
      ],
    ]),
    ...constants('src/services/ping/ping-writer.ts', [
      ['Pings that wait to be written', { maxQueuedPings }, '', '503 with `Retry-After`'],
      ['What they take up together', { maxQueuedBytes }, 'bytes', '503 with `Retry-After`'],
      ['Of that, pings of mails', { maxQueuedGroupBytes }, 'bytes', 'the mail waits for its turn'],
      ['Pings in one transaction', { maxBatchSize }, '', 'the others are in the next one'],
      ['What they take up together', { maxBatchBytes }, 'bytes', 'the others are in the next one'],
    ]),
  ],

  'Mail that is received': [
    ...settings([
      ['What is kept of a mail', 'PING_EMAIL_BODY_LIMIT', 'bytes', 'the ping counts, the rest is dropped'],
    ]),
    ...constants('src/smtp/server.ts', [
      ['A mail', { maxMessageBytes }, 'bytes', '552'],
      ['All mails until they are answered', { maxBufferedBytes }, 'bytes', '452'],
      ['Those of one address', { maxBufferedBytesPerAddress }, 'bytes', '452'],
      ['Connections', { maxConnections }, '', '421'],
      ['Connections of one address', { maxConnectionsPerAddress }, '', '421'],
      ['The silence of a client', { idleTimeoutMs }, 'ms', '421'],
      ['Answers that are not read', { writeTimeoutMs }, 'ms', 'the connection is cut off'],
      ['A connection, from its beginning to its end', { sessionTimeoutMs }, 'ms', '421'],
    ]),
    ...constants('src/smtp/session.ts', [
      ['Mails on a connection', { MAX_MESSAGES }, '', '421'],
      ['Commands for each of them', { MAX_COMMANDS }, '', '421'],
      ['Recipients of a mail', { MAX_RECIPIENTS }, '', '452'],
      ['Recipients that were refused', { MAX_REJECTED_RECIPIENTS }, '', '421'],
      ['Other faults', { MAX_FAULTS }, '', '421'],
    ]),
    ...constants('src/smtp/mail-reader.ts', [
      ['Mails that wait to be read', { maxQueuedMails }, '', '451; one account gets half of it at the most'],
      ['Reading a mail', { maxReadMs }, 'ms', '451'],
    ]),
    ...constants('src/lib/mime/mail-content.ts', [
      ['How often a byte of a mail is read', { SCANS_PER_BYTE }, '', 'the rest is not searched for keywords'],
      ['Parts of a mail', { MAX_PARTS }, '', 'the rest is not searched for keywords'],
      ['Parts within parts', { MAX_DEPTH }, '', 'the rest is not searched for keywords'],
    ]),
    ...constants('src/lib/mime/safe-html.ts', [
      [
        'The HTML of a mail that the dashboard shows',
        { MAX_HTML_LENGTH },
        'characters',
        'the rest is not shown',
      ],
      ['Its elements within elements', { MAX_HTML_DEPTH }, '', 'deeper ones lose their form'],
    ]),
    ...constants('src/lib/mime/encoded-words.ts', [
      ['Encoded words of a subject', { MAX_ENCODED_WORDS }, '', 'the rest is not decoded'],
    ]),
  ],

  'Texts that people write': [
    ...constants(
      'src/domain/text-limits.ts',
      (
        [
          ['The name of a check', 'checkName'],
          ['Its slug', 'checkSlug'],
          ['Its tags', 'checkTags'],
          ['Its description', 'checkDescription'],
          ['Its schedule', 'checkSchedule'],
          ['Keywords of a filter', 'checkKeywords'],
          ['The integrations that a request names', 'checkChannels'],
          ['The name of a project', 'projectName'],
          ['The name of a person', 'accountName'],
          ['The name of an integration', 'channelName'],
          ['The name of a policy', 'policyName'],
          ['The name of a calendar', 'calendarName'],
          ['The name of a key or a token', 'keyName'],
          ['An e-mail address', 'emailAddress'],
          ['A password', 'password'],
          ['A title of one’s own for messages', 'ownTitle'],
          ['A text of one’s own for messages', 'ownText'],
          ['The address of a webhook', 'webhookUrl'],
          ['Its body', 'webhookBody'],
          ['A header of it', 'webhookHeader'],
        ] as const
      ).map(([what, name]) => [what, { [name]: TEXT_LIMITS[name] }, 'characters', 'refused'] as const),
    ),
    ...constants('src/domain/text-limits.ts', [
      ['Headers of a webhook', { MAX_WEBHOOK_HEADERS }, '', 'refused'],
    ]),
    ...constants('src/lib/text/date-style.ts', [
      ['The language of dates', { MAX_LANGUAGE }, 'characters', 'refused'],
    ]),
    ...constants('src/domain/alert/channel.ts', [
      ['Integrations of a project', { MAX_PROJECT_CHANNELS }, '', 'refused'],
    ]),
    ...constants('src/services/alert/channel-connections.ts', [
      ['Destinations at a provider to choose from', { MAX_CHOICES }, '', 'the others are left out'],
    ]),
    ...constants('src/wire/api/channel-input.ts', [
      ['Checks that one request assigns to an integration', { MAX_ASSIGNED_CHECKS }, '', 'refused'],
    ]),
    ...constants('src/views/limits.ts', [
      [
        'Deliveries of an integration that are shown',
        { MAX_CHANNEL_DELIVERIES },
        '',
        'the older ones are left out',
      ],
    ]),
    ...constants('src/integrations/send/exchange.ts', [
      ['Characters of the answer of a provider that are kept', { MAX_ANSWER }, '', 'the rest is cut'],
    ]),
    ...constants('src/lib/shell-thread.ts', [
      ['Shell commands that run at the same time', { MAX_SHELL_COMMANDS }, '', 'others wait'],
      [
        'A shell command of an integration',
        { SHELL_TIMEOUT_MS },
        'ms',
        'it is ended, with what it has started',
      ],
    ]),
    ...constants('src/lib/socket-client.ts', [
      ['Bytes that Signal or an MQTT broker answers', { MAX_RECEIVED_BYTES }, '', 'the attempt has failed'],
    ]),
    ...settings([
      [
        'SMS and WhatsApp messages of an account in a month',
        'SMS_MONTHLY_LIMIT',
        '',
        'not sent; people are told',
      ],
      ['The same of a new account', 'SMS_NEW_ACCOUNT_LIMIT', '', 'not sent; people are told'],
      [
        'The same of all accounts together',
        'SMS_TOTAL_MONTHLY_LIMIT',
        '',
        'not sent; people and administrators are told',
      ],
      ['Phone calls of an account in a month', 'CALL_MONTHLY_LIMIT', '', 'not made; people are told'],
      ['The same of a new account', 'CALL_NEW_ACCOUNT_LIMIT', '', 'not made; people are told'],
      [
        'The same of all accounts together',
        'CALL_TOTAL_MONTHLY_LIMIT',
        '',
        'not made; people and administrators are told',
      ],
      ['Days for which an account is new', 'NEW_ACCOUNT_DAYS', '', 'it has the limits of any other'],
    ]),
    ...constants('src/domain/people/api-key.ts', [
      ['API keys of a project', { MAX_PROJECT_KEYS }, '', 'refused'],
      ['The length of a ping key, at least', { MIN_PING_KEY }, 'characters', 'refused'],
      ['The same, at most', { MAX_PING_KEY }, 'characters', 'refused'],
      ['Hours for which a key that is replaced stays valid', { MAX_OVERLAP_HOURS }, '', 'refused'],
      ...spans([
        [
          'A key or token that has expired is listed',
          { EXPIRED_KEYS_KEPT },
          'it is deleted when another is made',
        ],
      ]),
    ]),
    ...constants('src/services/core/key-uses.ts', [
      ['Keys whose use waits to be written, and tokens', { MAX_WAITING_USES }, '', 'the use is not noted'],
    ]),
    ...constants('src/domain/schedule/schedule.ts', [
      ['A schedule that is read at all', { MAX_EXPRESSION }, 'characters', 'refused'],
    ]),
    ...constants('src/provision/document.ts', [
      ['A provisioning file', { maxBytes: PROVISION_LIMITS.maxBytes }, 'bytes', 'refused'],
      ['All files of a folder', { maxFolderBytes: PROVISION_LIMITS.maxFolderBytes }, 'bytes', 'refused'],
      ['Checks in them', { maxChecks: PROVISION_LIMITS.maxChecks }, '', 'refused'],
      ['Values in it, repeated ones included', { maxValues: PROVISION_LIMITS.maxValues }, '', 'refused'],
      ['Values within values', { maxDepth: PROVISION_LIMITS.maxDepth }, '', 'refused'],
    ]),
  ],

  'What the service sends and fetches': [
    ...constants('src/node/node.ts', [
      [
        'Messages of integrations that are sent at the same time',
        { maxConcurrent },
        '',
        'the others wait; one account gets half of it at the most',
      ],
      ['Those to one destination', { maxConcurrentPerDestination }, '', 'the same'],
    ]),
    ...constants('src/notifier/test-sender.ts', [
      ['A test message, or a code, for which a person waits', { PERSON_WAITS_MS }, 'ms', 'it has failed'],
    ]),
    ...constants('src/integrations/kind/limits.ts', [
      [
        'A message to a provider that tells no limit',
        { OUR_LIMIT: OUR_LIMIT.most },
        'bytes',
        'its texts are cut',
      ],
    ]),
    ...constants('src/lib/http-client.ts', [
      ['A request with all its redirects', { DEFAULT_TIMEOUT_MS }, 'ms', 'the attempt has failed'],
      ['What is read of the answer', { MAX_BODY_BYTES }, 'bytes', 'the rest is not read'],
      ['Redirects', { MAX_REDIRECTS }, '', 'the attempt has failed'],
      ['Connections to one host', { DEFAULT_CONNECTIONS_PER_HOST }, '', 'the others wait'],
    ]),
    ...constants('src/lib/mail-sender.ts', [
      ['An answer of the mail server', { TIMEOUT_MS }, 'ms', 'the attempt has failed'],
      ['Connections to the mail server', { MAX_CONNECTIONS }, '', 'the others wait'],
    ]),
    ...settings([['An operation of the object storage', 'S3_TIMEOUT', 'seconds', 'it is tried again later']]),
    ...constants('src/objects/s3.ts', [
      ['A listing of the object storage', { MAX_LISTING }, 'bytes', 'it is tried again later'],
    ]),
  ],

  'People who sign in': [
    ...settings([
      ['A session that is not used', 'SESSION_IDLE_TIMEOUT', 'seconds', 'it ends'],
      ['A session, from its beginning', 'SESSION_MAX_AGE', 'seconds', 'it ends'],
    ]),
    ...constants('src/domain/people/session.ts', [
      ['Sessions of an account', { MAX_SESSIONS }, '', 'the one not used for longest ends'],
      ...spans([['A proof of identity', { SUDO_SPAN }, 'dangerous things need another one']]),
      ['Sign-ins of the past that an account sees', { MAX_SHOWN_SIGN_INS }, '', 'earlier ones are not shown'],
      ['The name of a browser that is kept', { MAX_USER_AGENT }, 'characters', 'the rest is dropped'],
    ]),
    ...constants('src/demo/parts.ts', [
      ['Sessions of visitors of a demonstration', { MAX_VISITOR_SESSIONS }, '', 'the oldest one ends'],
    ]),
    ...constants('src/demo/visitors.ts', [
      [
        'Requests of one address to a demonstration in a minute',
        { VISITOR_REQUESTS_PER_MINUTE },
        '',
        '429 with `Retry-After`',
      ],
    ]),
    ...constants('src/http/limits.ts', [
      [
        'Requests of an account by its sessions in a burst',
        { maxSessionRequestBurst },
        '',
        '429 with `Retry-After`',
      ],
      ['Those a minute, after it', { maxSessionRequestsPerMinute }, '', '429 with `Retry-After`'],
      [
        'Streams of live events',
        { maxStreams },
        '',
        '503 with `Retry-After`; the page asks every 15 seconds',
      ],
      ['Those of one account', { maxStreamsPerAccount }, '', '429 with `Retry-After`; the same'],
      ['What one has unread', { maxUnreadStreamBytes }, 'bytes', 'the connection is cut off'],
    ]),
    ...constants(
      'src/domain/people/link.ts',
      spans([
        ['A link in a mail', { MAILED_LINK_SPAN }, 'refused'],
        ['A code in a mail that confirms who somebody is', { CONFIRMATION_CODE_SPAN }, 'refused'],
        ['A link that is shown to an operator', { SHOWN_LINK_SPAN }, 'refused'],
      ]),
    ),
    ...constants(
      'src/domain/alert/confirmation-code.ts',
      spans([['A code that confirms a recipient of alerts', { CONFIRMATION_CODE_LIFE }, 'refused']]),
    ),
    ...constants(
      'src/domain/people/second-factor.ts',
      spans([
        ['From the first proof at sign-in to the second', { SECOND_FACTOR_SPAN }, 'begins anew'],
        ['From the secret of an app to its first code', { AUTHENTICATOR_SETUP_SPAN }, 'begins anew'],
      ]),
    ),
    ...constants('src/domain/people/passkey.ts', [
      ['Passkeys and security keys of an account', { MAX_PASSKEYS }, '', 'refused'],
      ...spans([['The answer to a challenge for a passkey', { CHALLENGE_SPAN }, 'refused']]),
    ]),
    ...constants('src/domain/people/project.ts', [
      ['Members of a project besides its owner', { MAX_PROJECT_MEMBERS }, '', 'refused'],
      [
        'Projects that one account owns, those included that it can restore',
        { MAX_OWNED_PROJECTS },
        '',
        'refused',
      ],
    ]),
    ...constants('src/domain/schedule/pasted.ts', [
      ['A pasted line of a crontab or unit', { MAX_PASTED }, 'characters', 'refused'],
    ]),
    ...constants('src/domain/schedule/crontab-limits.ts', [
      ['A crontab from which checks are made', { MAX_CRONTAB }, 'characters', 'refused'],
      [
        'Checks that are made of a crontab at once',
        { MAX_CRONTAB_JOBS },
        '',
        'the page says so at the others',
      ],
    ]),
    ...constants('src/views/limits.ts', [
      ['A text on which keywords are tried', { MAX_TRIED_TEXT }, 'characters', 'refused'],
    ]),
    ...constants('src/domain/check/check-deletion.ts', [
      [
        'Deleted checks of a project that can be restored',
        { MAX_RESTORABLE_CHECKS },
        '',
        'the first one goes',
      ],
    ]),
    ...constants('src/wire/dashboard/limits.ts', [
      ['Checks or integrations that one request of the dashboard names', { MAX_LISTED_UUIDS }, '', 'refused'],
    ]),
    ...constants('src/domain/people/invitation.ts', [
      ['Open invitations of a project', { MAX_PROJECT_INVITATIONS }, '', 'refused'],
      [
        'Invitations that a person is shown',
        { MAX_SHOWN_INVITATIONS },
        '',
        'the others are shown when these are answered',
      ],
    ]),
    ...constants('src/services/people/invitations.ts', [
      ['People who are suggested for an invitation', { MAX_SUGGESTED_PEOPLE }, '', 'the others are left out'],
    ]),
    ...constants('src/domain/people/account-token.ts', [
      ['Tokens of an account', { MAX_ACCOUNT_TOKENS }, '', 'refused'],
      ['Projects that a token is limited to', { MAX_TOKEN_PROJECTS }, '', 'refused'],
    ]),
    ...constants('src/domain/people/password-rules.ts', [
      ['The length of a password, at least', { MIN_PASSWORD_LENGTH }, 'characters', 'refused'],
    ]),
    ...constants(
      'src/services/people/attempts.ts',
      (
        [
          ['Passwords for an account a day, from browsers that it does not know', 'passwordsPerAccount'],
          ['Those of one network an hour, for any account', 'passwordsPerNetwork'],
          ['Passwords an hour from a browser that was signed in before', 'passwordsPerDevice'],
          ['Mails an hour that anybody may have sent to one mailbox', 'mailsPerMailbox'],
          ['Those of one network, to any mailbox', 'mailsPerNetwork'],
          ['Mails an hour from a browser that was signed in before', 'mailsPerDevice'],
          ['Mails an hour beyond those of the mailbox, from one network', 'mailsPerMailboxAndNetwork'],
          ['Those for one purpose to one address, from all networks', 'mailsPerAddress'],
          ['Invitations of a person a day', 'invitationsPerAccount'],
          ['Invitations to a mailbox a day', 'invitationsPerMailbox'],
          ['Accounts that are made an hour from one network, where no mail is sent', 'accountsPerNetwork'],
          ['Codes of an app for an account a day, from browsers that it does not know', 'codesPerAccount'],
          ['Those from a browser that was signed in before, or in a session', 'codesPerDevice'],
          [
            'Recovery codes for an account an hour, from one network or one such browser',
            'recoveryCodesPerSender',
          ],
          ['Tries of a code in a mail, an hour', 'triesPerMailedCode'],
          ['Those of all codes to one mailbox, from browsers that it does not know', 'triesPerMailbox'],
          ['Answers to one challenge for a passkey', 'usesPerChallenge'],
          ['Sign-ins by a provider an hour from one network', 'providerSignInsPerNetwork'],
          ['Answers of a provider to one sign-in', 'usesPerProviderSignIn'],
          ['Ways back from a provider at which an integration is set up', 'usesPerConnection'],
          ['Proofs of identity an hour in one session', 'proofsPerSession'],
          ['Offers of the projects of one account to their members a day', 'offersPerOwner'],
          [
            'Mails and codes of one account that ask recipients of alerts for a confirmation a day',
            'confirmationsPerOwner',
          ],
          ['The same to one mailbox, number, user or room a day', 'confirmationsPerRecipient'],
          ['Tries of such a code', 'triesPerConfirmationCode'],
          ['Rooms that are joined a day for one account', 'preparationsPerOwner'],
          ['Messages of one account that people test or send again, an hour', 'testMessagesPerOwner'],
        ] as const
      ).map(
        ([what, name]) =>
          [what, { [name]: ATTEMPT_RULES[name].maxAttempts }, '', '429 with `Retry-After`'] as const,
      ),
    ),
    ...constants('src/services/people/attempts.ts', [
      [
        'Wrong second factors of an account a day of which its owner is not told',
        { wrongFactorsUntold: ATTEMPT_RULES.wrongFactorsUntold.maxAttempts },
        '',
        'the owner is told by mail',
      ],
      [
        'Mails a day that tell of them',
        { wrongFactorNotices: ATTEMPT_RULES.wrongFactorNotices.maxAttempts },
        '',
        'no other is sent',
      ],
    ]),
    ...constants('src/domain/people/identity.ts', [
      [
        'How long a person may be at the provider',
        { PROVIDER_SIGN_IN_SECONDS },
        'seconds',
        'they begin anew',
      ],
      [
        'The name of a person at the provider',
        { MAX_SUBJECT_LENGTH },
        'characters',
        'the sign-in is refused',
      ],
    ]),
    ...constants('src/lib/openid.ts', [
      ['One request to the provider', { OPENID_TIMEOUT_MS }, 'ms', '424, or the page says so'],
    ]),
    ...constants('src/wire/dashboard/limits.ts', [
      ['Rows of a list of checks that are asked for by name', { MAX_ASKED_ROWS }, '', '400'],
      ['Rows of a list of checks that are told in full', { MAX_DETAILED }, '', '400'],
    ]),
    ...constants('src/views/check-boards.ts', [
      ['Checks whose rows each thread keeps', { MAX_KEPT_CHECKS }, '', 'they are read again'],
      ['Checks whose last runs each thread keeps', { MAX_KEPT_HISTORIES }, '', 'they are read again'],
    ]),
    ...constants('src/services/history/timeline.ts', [
      ['Lanes of a timeline that are read at once', { MAX_LANES }, '', '400'],
      ['Pings that are read of each', { MAX_LANE_PINGS }, '', 'the lane is a band'],
    ]),
    ...constants('src/wire/dashboard/markdown-output.ts', [
      [
        'Pieces of emphasis, code and links in a description',
        { MAX_MARKDOWN_PIECES },
        '',
        'the rest is text without a form',
      ],
    ]),
    ...constants('src/domain/history/timeline.ts', [
      ['Runs of a lane that are drawn one by one', { MAX_LANE_RUNS }, '', 'the lane is a band'],
    ]),
    ...constants('src/views/limits.ts', [
      ['The time that a timeline shows', { MAX_TIMELINE_SECONDS }, 'seconds', '400'],
    ]),
    ...constants('src/wire/dashboard/live-input.ts', [
      ['Projects that a stream of live events names', { MAX_ASKED_PROJECTS }, '', '400'],
    ]),
    ...constants('src/wire/dashboard/limits.ts', [
      ['The path where a person goes on', { MAX_NEXT_LENGTH }, 'characters', '400'],
    ]),
    ...constants('src/services/sign-up/remote-user.ts', [
      [
        'People of a proxy whose groups a node remembers',
        { MAX_REMEMBERED_PEOPLE },
        '',
        'the groups of others are applied again',
      ],
    ]),
    ...constants('src/services/people/password-work.ts', [
      ['Passwords that are hashed at the same time', { maxConcurrentHashes }, '', 'the others wait'],
      [
        'Passwords that are compared with a hash of another program at the same time',
        { maxConcurrentOldHashes },
        '',
        'the others wait',
      ],
      [
        'Passwords that wait for it',
        { maxQueuedHashes },
        '',
        '503 with `Retry-After`; a network gets half at the most',
      ],
    ]),
  ],

  'Rules for the runs of a check': [
    ...constants('src/domain/check/run-rules.ts', [
      [
        'The time within which a run begins or ends, and its shortest',
        { MAX_LIMIT_SECONDS },
        'seconds',
        '400',
      ],
      ['The time that a run may come early', { MAX_EARLY_SECONDS }, 'seconds', '400'],
      ['The text that says what exit statuses mean', { MAX_EXIT_MAP }, 'characters', '400'],
      ['Numbers with bounds', { MAX_DECLARED_NUMBERS }, '', '400'],
    ]),
    ...constants('src/domain/check/exit-map.ts', [['Terms of that text', { MAX_EXIT_TERMS }, '', '400']]),
    ...constants('src/domain/check/check-links.ts', [
      ['Checks that it depends on', { MAX_PARENTS }, '', '400'],
    ]),
  ],

  'The page of a check': [
    ...constants('src/domain/ping/numbers.ts', [
      ['Numbers that a ping reports', { MAX_NUMBERS }, '', 'the line is text'],
      ['Bytes of a body in which numbers are looked for', { MAX_NUMBER_LINE }, 'bytes', 'the line is text'],
    ]),
    ...constants('src/views/limits.ts', [
      ['Runs that are shown, and whose numbers are read', { MAX_PAGE_RUNS }, '', 'older ones are not shown'],
      ['Failed and warned runs before them', { MAX_EARLIER_TROUBLES }, '', 'older ones are in the log'],
      ['Pings among which these are looked for', { MAX_TROUBLE_PINGS }, '', 'older ones are in the log'],
    ]),
  ],

  'The event log of a check': [
    ...constants('src/services/history/event-log.ts', [
      ['Events of a page', { MAX_PAGE_EVENTS }, '', 'the next page has more'],
      ['Pings that are looked at for a page', { MAX_EXAMINED_PINGS }, '', 'the page is shorter'],
      ['Pings among which the signals of a run are found', { MAX_RUN_SIGNALS }, '', 'the others stand alone'],
    ]),
    ...constants('src/services/history/run-list.ts', [
      ['Pings that are looked at for a page of runs', { MAX_LISTED_FROM }, '', 'the page is shorter'],
    ]),
    ...constants('src/services/history/event-bodies.ts', [
      ['Bodies that are searched for a page', { MAX_SEARCHED_BYTES }, 'bytes', 'the next page goes on'],
      ['One body that is searched', { MAX_SEARCHED_BODY }, 'bytes', 'the rest is not searched'],
    ]),
    ...constants('src/wire/dashboard/limits.ts', [
      ['What people search for', { MAX_SEARCH }, 'characters', '400'],
    ]),
    ...constants('src/domain/ping/ping-body.ts', [
      ['A body that is shown whole', { MAX_WHOLE_BODY }, 'bytes', 'its first and last lines are shown'],
      ['A line of a body', { MAX_LINE }, 'characters', 'the rest is not shown'],
    ]),
  ],

  'The audit log and administrators': [
    ...settings([['An entry of the audit log', 'AUDIT_LOG_DAYS', 'days', 'it is removed']]),
    ...constants('src/domain/people/audit.ts', [
      ['A text in an entry', { MAX_LOGGED_TEXT }, 'characters', 'the rest is dropped'],
      ['Items of a list in an entry', { MAX_LOGGED_ITEMS }, '', 'the others are counted'],
    ]),
    ...constants('src/services/history/audit-log.ts', [
      ['Entries of a page', { MAX_PAGE_ACTS }, '', 'the next page has them'],
      ['Changes of a check on a page', { MAX_CHECK_ACTS }, '', 'the next page has them'],
      ['Entries that are looked at for it', { MAX_EXAMINED_ACTS }, '', 'the next page goes on'],
    ]),
    ...constants('src/views/limits.ts', [
      [
        'Accounts or projects of a page for administrators',
        { MAX_PAGE_ENTRIES },
        '',
        'the next page has them',
      ],
      ['Those that are looked at for it', { MAX_EXAMINED_ENTRIES }, '', 'the next page goes on'],
    ]),
    ...constants('src/services/people/visits.ts', [
      [
        'An administrator in a project of others',
        { VISIT_SPAN: VISIT_SPAN / MICROS_PER_SECOND },
        'seconds',
        'they have to enter again',
      ],
    ]),
  ],

  'Data and the database': settings([
    ['Checks of a new account', 'DEFAULT_CHECK_LIMIT', '', '403'],
    ['Pings that are kept of each of them', 'DEFAULT_PING_LIMIT', '', 'the oldest are removed'],
    ['Connections to PostgreSQL', 'DB_POOL_SIZE', '', 'the others wait'],
    ['A statement on PostgreSQL', 'DB_STATEMENT_TIMEOUT', 'seconds', '503'],
    ['Requests that are accepted before a stop', 'SHUTDOWN_TIMEOUT', 'seconds', 'they are cut off'],
  ]),
};

/** Limits that operators can set; the table shows the defaults. */
function settings(rows: readonly Row<keyof typeof SETTINGS>[]): Limit[] {
  return rows.map(([what, name, unit, beyond]) => ({
    ...{ what, unit, name, beyond },
    value: Number(SETTINGS[name].default),
    file: null,
  }));
}

/** Spans of time, which the program counts in microseconds. */
function spans(
  rows: readonly (readonly [what: string, named: Readonly<Record<string, number>>, beyond: string])[],
): Row<Readonly<Record<string, number>>>[] {
  return rows.map(([what, named, beyond]) => {
    const inSeconds = Object.entries(named).map(([name, span]) => [name, span / MICROS_PER_SECOND]);
    return [what, Object.fromEntries(inSeconds), 'seconds', beyond];
  });
}

function constants(file: string, rows: readonly Row<Readonly<Record<string, number>>>[]): Limit[] {
  return rows.flatMap(([what, named, unit, beyond]) =>
    Object.entries(named).map(([name, value]) => ({ what, value, unit, name, file, beyond })),
  );
}
