import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, type EnvValues, line } from '../../lib/env-setting.ts';
import { type Field, refined, text } from '../../lib/fields.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { codeText } from '../kind/confirmation.ts';
import { conversationKind, type Ports } from '../kind/kind.ts';
import { phoneField, withoutSpacing } from '../kind/phone-field.ts';
import type { Setting } from '../kind/setting.ts';
import { MESSAGE_LIMITS, signalMessage } from './message.ts';
import { asRecord, callSignal, type RpcError, signalTarget } from './rpc.ts';

/** A phone number, or the name of a user. */
const recipientField: Field<string> = refined(
  text({ maxLength: 70 }),
  'phone number with + and country code, or username such as alice.42',
  (value) => {
    const recipient = withoutSpacing(value);
    if (recipient.includes('.')) return /^\w{3,48}\.\d{2,10}$/.test(recipient) ? recipient : null;
    const phone = phoneField.read(recipient, '');
    return typeof phone === 'string' ? phone : null;
  },
);

const SETTINGS = {
  recipient: {
    label: 'Phone number or username',
    help: 'A phone number with + and country code, or a username such as alice.42.',
    field: recipientField,
    control: 'text',
  } satisfies Setting<string>,
};

const SERVER = {
  SIGNAL_CLI_SOCKET: {
    kind: line,
    default: null,
    doc: 'Where signal-cli listens that sends Signal messages: the path of its socket, or `host:port`; if unset, none are sent.',
  },
} satisfies EnvSettingTable;

export const signal = conversationKind({
  label: 'Signal',
  category: 'chat',
  summary: 'end-to-end encrypted',
  description: 'Messages to a phone number or a username on Signal.',
  setup: [
    'Enter the phone number with + and its country code, or the username, such as `alice.42`.',
    'Save it. A code comes by Signal, as a request: accept it, or the other messages are not shown. Enter the code on the page of the integration: nothing else is sent before.',
  ],
  example: { recipient: '+15551234567' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['SIGNAL_CLI_SOCKET'],
  target: ({ recipient }) => recipient,
  wants: () => true,
  destination: () => '',
  limit: ({ recipient }) => ({ key: `signal ${recipient}`, messages: 6, perSeconds: 60 }),
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  limits: MESSAGE_LIMITS,
  needsBody: false,
  needsStory: true,
  confirmation: {
    by: 'code',
    // Usernames differ by more than capitals.
    recipient: ({ recipient }) => recipient.toLowerCase(),
    sendCode: (message, { recipient }, ports, server) =>
      send({ message: codeText(message) }, message.id, recipient, ports, server),
  },
  acceptedByPeer: (written) => {
    const { id } = asRecord(JSON.parse(new TextDecoder().decode(written)));
    return new TextEncoder().encode(`${JSON.stringify({ jsonrpc: '2.0', result: {}, id })}\n`);
  },
  deliver: (event, { recipient }, ports, server) =>
    send(signalMessage(event), event.deliveryId, recipient, ports, server),
});

async function send(
  message: { readonly message: string },
  id: string,
  recipient: string,
  ports: Ports,
  { SIGNAL_CLI_SOCKET: socket }: EnvValues<typeof SERVER>,
): Promise<Outcome> {
  if (socket === null) return { kind: 'refused', error: 'Signal notifications are not enabled' };
  const to = recipient.includes('.') ? `u:${recipient}` : recipient;
  const reply = await ports.converse(signalTarget(socket), (call) =>
    callSignal(call, 'send', { recipient: [to], ...message }, id),
  );
  if ('error' in reply && typeof reply.error === 'string') return tryAgain(connectionError(reply.error));
  if (!('kind' in reply) || reply.kind === 'unexpected')
    return tryAgain('signal-cli call failed (unexpected response)');
  if (reply.kind === 'done') return DELIVERED;
  return refusalOf(reply.error, ports, { recipient, text: message.message });
}

function connectionError(error: string): string {
  return error === 'Connection timed out' ? 'signal-cli call timed out' : `signal-cli call failed (${error})`;
}

/** https://github.com/AsamK/signal-cli/blob/master/src/main/java/org/asamk/signal/json/JsonSendMessageResult.java */
async function refusalOf(
  { code, data }: RpcError,
  ports: Ports,
  message: { readonly recipient: string; readonly text: string },
): Promise<Outcome> {
  const { results } = asRecord(asRecord(data).response);
  const failures = (Array.isArray(results) ? results : []).map(asRecord);
  if (failures.some(({ type }) => type === 'UNREGISTERED_FAILURE')) {
    return { kind: 'permanent', error: 'Recipient not found' };
  }
  const limited = failures.find(
    ({ type, token }) => type === 'RATE_LIMIT_FAILURE' && typeof token === 'string',
  );
  if (limited !== undefined) {
    await ports.askForCaptcha(String(limited.token), message);
    return { kind: 'refused', error: 'CAPTCHA proof required' };
  }
  return tryAgain(`signal-cli call failed (${code})`);
}
