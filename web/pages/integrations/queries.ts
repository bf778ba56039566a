import type { ActAnswer } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';

export type Channel = Answer<'channelOverview'>['channels'][number];
export type ChannelDetails = Answer<'channelDetails'>;
export type ChannelKind = Answer<'channelKinds'>['kinds'][number];
export type SettingOfKind = ChannelKind['fields'][number];
export type ChannelEvent = ChannelDetails['events'][number];
export type TestResult = ActAnswer<'testChannel'>;

/** They stay the same for as long as the service runs. */
export const kindsQuery = (project: string) => ({
  ...query.channelKinds({ project }),
  staleTime: Number.POSITIVE_INFINITY,
});
