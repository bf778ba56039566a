// The part of kinds that the rest of the program knows. `kinds.ts` lists them.

export type { AskProvider, Connectable, Connection, ConnectionResult } from './connect/connection.ts';
export type { AlertEvent } from './kind/alert-event.ts';
export type { CodeMessage } from './kind/confirmation.ts';
export type { OutboundMail, OutboundRequest } from './kind/kind.ts';
export { messageLimits } from './kind/message-limits.ts';
export { MASK } from './kind/setting.ts';
export { CHANNEL_KINDS, type ChannelKind, isChannelKind, kindOf, labelOf, runsCommands } from './lookup.ts';
export type { NoteExchange } from './send/exchange.ts';
export { maskedButtons } from './send/masked-buttons.ts';
export { type OpenChannel, openChannel } from './send/open-channel.ts';
export type { Preview } from './send/preview.ts';
export { SAMPLE_NAME, sampleOf } from './send/sample.ts';
export {
  buttonChoice,
  buttonDisplay,
  type Configured,
  editableSettings,
  eventsOf,
  groupMembers,
  heardEvents,
  hears,
  hoursRuleOf,
  isStateful,
  isStatefulBySettings,
  maskedSettings,
  mayWant,
  type Recipient,
  readSettings,
  recipientOf,
  reportOf,
  secretTexts,
  settingNames,
  settingsOf,
  settingTable,
  storedSettings,
  stormRuleOf,
  takesAnyWords,
  targetOf,
  typedFault,
  unmaskedSettings,
  whyNotToldOfSuccess,
} from './settings/channel-settings.ts';
export {
  configuredKinds,
  connectionOf,
  counterOfKind,
  describeKind,
  describeKinds,
  type InstanceOffer,
  incompleteKinds,
  type KindDescription,
  kindOfConnection,
} from './settings/describe.ts';
export { createPreparer, type PrepareSettings } from './settings/prepare.ts';
export { SERVER_SETTINGS, type ServerSettings } from './settings/server-settings.ts';
export {
  ALLOWED_UPDATES,
  botMessage,
  type StartedChat,
  startedChat,
  TAP_UPDATE,
  updatesIn,
  updatesRequest,
  webhookRegistration,
} from './telegram/bot.ts';
export { doneKeyboard, isTapIn, TAP_DIGITS, type Tap, tapAnswer, tapOf } from './telegram/taps.ts';
