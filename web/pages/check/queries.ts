import { type Answer, query } from '../../app/read.ts';

/** Everything about one check. */
export type ShownCheck = Answer<'checkPage'>;
export type ShownRun = ShownCheck['runs'][number];
export type ShownNumber = ShownCheck['numbers'][number];
export type ShownStation = ShownCheck['fuse'][number];
export type ShownChannel = ShownCheck['channels'][number];
export type Month = ShownCheck['months'][number];

export type EventPage = Answer<'checkEvents'>;
export type LoggedEvent = EventPage['events'][number];
export type FlipEvent = Extract<LoggedEvent, { readonly kind: 'flip' }>;
export type RunEvent = Exclude<LoggedEvent, FlipEvent>;
export type RunSignal = RunEvent['signals'][number];
export type DeliveryEvent = FlipEvent['deliveries'][number];

export type ShownPing = Answer<'pingPage'>;
export type PingBody = ShownPing['body'];

/** One ping. It does not change any more, and an open sheet must not change under the reader. */
export const pingQuery = (check: string, n: number, isWhole = false) => ({
  ...query.pingPage({ check, n, isWhole }),
  staleTime: Number.POSITIVE_INFINITY,
});
