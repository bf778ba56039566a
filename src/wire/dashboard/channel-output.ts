import { type Channel, type OffReason, offText, type ToldEvent } from '../../domain/alert/channel.ts';
import { type ChannelHealth, healthOf } from '../../domain/alert/channel-health.ts';
import type { Attempt, Delivery, DeliveryState } from '../../domain/alert/delivery.ts';
import type { CounterName, Usage } from '../../domain/alert/message-quota.ts';
import type { FlipReason } from '../../domain/check/flip.ts';
import { toIsoMicros } from '../../lib/instant.ts';
import { type KindData, secretNames } from '../api/channel-output.ts';

export type { ToldEvent } from '../../domain/alert/channel.ts';
/** Pages show previews as the API does. */
export type { PreviewJson } from '../api/channel-output.ts';

/** A kind, with all that a form needs. */
export interface ChannelKindJson {
  readonly kind: string;
  readonly label: string;
  readonly category: string;
  readonly summary: string;
  readonly description: string;
  /** All settings of the operator that are missing: `A, B or C`. Null if the kind is offered. */
  readonly missing: string | null;
  /** How whoever gets the messages confirms that they are wanted. Null if nobody has to. */
  readonly confirmed_by: 'link' | 'code' | null;
  /** Whether people can set it up at the provider, by a button. */
  readonly can_connect: boolean;
  /** Whether they have to, or by an invitation. Then a form cannot make one. */
  readonly must_connect: boolean;
  /** How people let this service into the destination. Null if nobody has to. */
  readonly invitation: string | null;
  /** What may be sent in this month, and what was. Null if there is no limit. */
  readonly quota: QuotaJson | null;
  /** What a form for a new one suggests to tell of. */
  readonly suggested_events: readonly ToldEvent[];
  readonly fields: readonly SettingFieldJson[];
}

export interface QuotaJson {
  readonly used: number;
  readonly limit: number;
}

/** One field of a form. */
export interface SettingFieldJson {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly control: string;
  readonly is_secret: boolean;
  readonly is_required: boolean;
  readonly default: unknown;
  readonly choices: readonly { readonly value: unknown; readonly label: string }[];
  readonly max_length: number | null;
}

/** A setting as its kind declares it. */
export interface SettingData {
  readonly label: string;
  readonly help?: string;
  readonly control: string;
  readonly default?: unknown;
  readonly secret?: boolean;
  readonly choices?: readonly { readonly value: unknown; readonly label: string }[];
  readonly field: { readonly schema: Readonly<Record<string, unknown>> };
}

type DescribedKind = KindData & {
  readonly settings: Readonly<Record<string, SettingData>>;
  readonly canConnect: boolean;
  readonly invitation: string | null;
  readonly suggestedEvents: readonly ToldEvent[];
  readonly counter: CounterName | null;
};

/** `usage` is that of the owner of the project. */
export function channelKindJson(data: DescribedKind, usage: Usage): ChannelKindJson {
  const { kind, label, category, summary, description, missing, confirmedBy, canConnect, settings } = data;
  const secrets = secretNames(settings);
  return {
    ...{ kind, label, category, summary, description, missing, confirmed_by: confirmedBy },
    can_connect: canConnect,
    must_connect: data.connectedOnly.length > 0,
    invitation: data.invitation,
    quota: data.counter && usage[data.counter],
    suggested_events: data.suggestedEvents,
    fields: Object.entries(settings)
      .filter(([name]) => !data.connectedOnly.includes(name))
      .map(([name, setting]) => fieldJson(name, setting, secrets)),
  };
}

function fieldJson(name: string, setting: SettingData, secrets: readonly string[]): SettingFieldJson {
  const { label, help = '', control, default: preset, choices = [], field } = setting;
  const { maxLength } = field.schema;
  return {
    ...{ name, label, help, control, is_secret: secrets.includes(name), is_required: preset === undefined },
    default: preset ?? null,
    choices: choices.map((choice) => ({ value: choice.value, label: choice.label })),
    max_length: typeof maxLength === 'number' ? maxLength : null,
  };
}

/** A channel where it is listed. */
export interface ChannelRowJson {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** The name of the kind. */
  readonly label: string;
  readonly target: string;
  readonly health: ChannelHealth;
  readonly failing_since: string | null;
  /** Whether it has failed for a day while another one delivered. */
  readonly is_left_behind: boolean;
  readonly off: ChannelOffJson | null;
  readonly events: readonly ToldEvent[];
  /** The number of checks that it is assigned to. */
  readonly checks: number;
  /** What may be sent in this month by such integrations, and what was. Null if there is no limit. */
  readonly quota: QuotaJson | null;
  /** The latest deliveries, oldest first. */
  readonly strip: readonly StripMark[];
  /** The last of them. */
  readonly last: LastDeliveryJson | null;
  /** Deliveries among the latest that wait for their next attempt. */
  readonly waiting: number;
  readonly last_attempt: string | null;
  readonly last_error: string;
}

export interface ChannelOffJson {
  readonly reason: OffReason;
  readonly text: string;
  readonly error: string;
  readonly since: string | null;
}

/** How a delivery went: at once, after some attempts, not at all, not yet, or it was not sent. */
export type StripMark = 'delivered' | 'retried' | 'given_up' | 'waiting' | 'skipped';

export interface LastDeliveryJson {
  readonly check: string;
  readonly status: 'up' | 'down';
  readonly state: DeliveryState;
  readonly at: string;
  readonly attempts: number;
  readonly error: string;
  readonly next_attempt: string | null;
}

export interface ChannelListJson {
  readonly channels: readonly ChannelRowJson[];
  /** The number of checks in the project. */
  readonly checks: number;
}

type Recent = Pick<
  Delivery,
  'state' | 'status' | 'attemptCount' | 'error' | 'createdAt' | 'finishedAt' | 'nextAttemptAt'
> & { readonly checkName: string };

export interface ChannelOverviewData {
  readonly channel: Channel;
  readonly label: string;
  readonly target: string;
  readonly events: readonly ToldEvent[];
  readonly isLeftBehind: boolean;
  readonly checks: number;
  readonly quota: QuotaJson | null;
  readonly deliveries: readonly Recent[];
}

export function channelListJson(data: {
  readonly channels: readonly ChannelOverviewData[];
  readonly checks: number;
}): ChannelListJson {
  return { channels: data.channels.map(channelRowJson), checks: data.checks };
}

function channelRowJson(data: ChannelOverviewData): ChannelRowJson {
  const { channel, label, target, events, isLeftBehind, checks, quota, deliveries } = data;
  const last = deliveries.at(-1);
  return {
    ...stateJson(channel),
    ...{ label, target, events, checks, quota, is_left_behind: isLeftBehind },
    strip: deliveries.map(stripMark),
    last: last === undefined ? null : lastJson(last),
    waiting: deliveries.filter(({ state }) => state === 'open').length,
    last_attempt: toIsoMicros(channel.lastAttempt?.startedAt),
    last_error: channel.lastAttempt?.error ?? '',
  };
}

function stateJson(channel: Channel) {
  const { uuid, name, kind, off, failingSince } = channel;
  return {
    ...{ id: uuid, name, kind, health: healthOf(channel), failing_since: toIsoMicros(failingSince) },
    off: offJson(off),
  };
}

function offJson(off: Channel['off']): ChannelOffJson | null {
  if (off === null) return null;
  const { reason, error, at } = off;
  return { reason, text: offText(reason), error, since: toIsoMicros(at) };
}

function stripMark({ state, attemptCount }: Recent): StripMark {
  if (state === 'open') return 'waiting';
  return state === 'delivered' && attemptCount > 1 ? 'retried' : state;
}

function lastJson(delivery: Recent): LastDeliveryJson {
  const { checkName, status, state, attemptCount, error, createdAt, finishedAt, nextAttemptAt } = delivery;
  return {
    ...{ check: checkName, status, state, attempts: attemptCount, error },
    at: toIsoMicros(finishedAt ?? createdAt),
    next_attempt: toIsoMicros(nextAttemptAt),
  };
}

/** A channel with its settings, for a form. */
export interface ChannelDetailsJson {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly target: string;
  readonly health: ChannelHealth;
  readonly failing_since: string | null;
  readonly off: ChannelOffJson | null;
  readonly events: readonly ToldEvent[];
  /** Secret parts are masked. Empty for those who may not edit the channel. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Why the recipient was not asked to confirm, though it was saved. Null if they were, or need not. */
  readonly not_asked: string | null;
}

export function channelDetailsJson(
  data: {
    readonly channel: Channel;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly events: readonly ToldEvent[];
    readonly target: string;
  },
  notAsked: string | null,
): ChannelDetailsJson {
  const { channel, settings, events, target } = data;
  return { ...stateJson(channel), target, events, settings, not_asked: notAsked };
}

/** A delivery of a channel with its attempts. */
export interface ChannelDeliveryJson {
  readonly id: string;
  readonly check: { readonly name: string; readonly uuid?: string };
  readonly status: 'up' | 'down';
  readonly reason: FlipReason;
  readonly state: DeliveryState;
  readonly created: string;
  readonly finished: string | null;
  readonly next_attempt: string | null;
  readonly error: string;
  readonly attempts: readonly AttemptJson[];
}

export interface AttemptJson {
  readonly n: number;
  readonly at: string;
  readonly seconds: number;
  readonly request: string;
  readonly answer: string;
  readonly error: string;
}

export function channelDeliveryJson(
  delivery: Delivery & {
    /** Null if the check is deleted. */
    readonly checkUuid: string | null;
    readonly checkName: string;
    readonly reason: FlipReason;
    readonly attempts: readonly Attempt[];
  },
  seesAddresses: boolean,
): ChannelDeliveryJson {
  const { uuid, checkUuid, checkName, status, reason, state, error } = delivery;
  return {
    ...{ id: uuid, status, reason, state, error },
    check: { name: checkName, ...(seesAddresses && checkUuid !== null && { uuid: checkUuid }) },
    created: toIsoMicros(delivery.createdAt),
    finished: toIsoMicros(delivery.finishedAt),
    next_attempt: toIsoMicros(delivery.nextAttemptAt),
    attempts: delivery.attempts.map(({ n, startedAt, duration, request, answer, error: why }) => ({
      ...{ n, at: toIsoMicros(startedAt), seconds: duration / 1_000_000, request, answer, error: why },
    })),
  };
}

/** A check to which the channel can be assigned. */
export interface AssignableCheckJson {
  readonly uuid: string;
  readonly name: string;
  readonly tags: string;
  readonly is_assigned: boolean;
}

export function assignableCheckJson(check: {
  readonly uuid: string;
  readonly name: string;
  readonly tags: string;
  readonly isAssigned: boolean;
}): AssignableCheckJson {
  const { uuid, name, tags, isAssigned } = check;
  return { uuid, name, tags, is_assigned: isAssigned };
}

/** For the navigation of every page. */
export interface ChannelCountsJson {
  readonly total: number;
  readonly failing: number;
}

/** How a test message went. */
export interface ChannelTestJson {
  readonly ok: boolean;
  readonly error: string;
  readonly request: string;
  readonly answer: string;
  readonly seconds: number;
  readonly off: ChannelOffJson | null;
}

export function channelTestJson(result: {
  readonly error: string | null;
  readonly off: Channel['off'];
  readonly exchange: { readonly request: string; readonly answer: string };
  readonly duration: number;
}): ChannelTestJson {
  const { error, off, exchange, duration } = result;
  return {
    ...{ ok: error === null, error: error ?? '', ...exchange, seconds: duration / 1_000_000 },
    off: offJson(off),
  };
}
