// What the rest of the program knows of kinds. `kinds.ts` lists them.

export type { AlertEvent } from './alert-event.ts';
export {
  type Configured,
  editableSettings,
  eventsOf,
  maskedSettings,
  type Recipient,
  readSettings,
  recipientOf,
  secretTexts,
  settingNames,
  settingsOf,
  settingTable,
  storedSettings,
  targetOf,
  typedFault,
  unmaskedSettings,
} from './channel-settings.ts';
export type { CodeMessage } from './confirmation.ts';
export type { AskProvider, Connectable, Connection, ConnectionResult } from './connection.ts';
export {
  connectionOf,
  counterOfKind,
  describeKind,
  describeKinds,
  type InstanceOffer,
  incompleteKinds,
  type KindDescription,
  kindOfConnection,
} from './describe.ts';
export type { NoteExchange } from './exchange.ts';
export type { OutboundMail, OutboundRequest } from './kind.ts';
export { CHANNEL_KINDS, type ChannelKind, isChannelKind, kindOf, labelOf, runsCommands } from './lookup.ts';
export { messageLimits } from './message-limits.ts';
export { type OpenChannel, openChannel } from './open-channel.ts';
export { createPreparer, type PrepareSettings } from './prepare.ts';
export type { Preview } from './preview.ts';
export { SAMPLE_NAME, sampleOf } from './sample.ts';
export { SERVER_SETTINGS, type ServerSettings } from './server-settings.ts';
export { MASK } from './setting.ts';
export {
  botMessage,
  type StartedChat,
  startedChat,
  updatesIn,
  updatesRequest,
  webhookRegistration,
} from './telegram/bot.ts';
