import { readConfig } from '../config/read-config.ts';
import { callSignal, type RpcReply, signalTarget } from '../integrations/signal/rpc.ts';
import { systemRandom } from '../lib/random.ts';
import { SocketClient } from '../lib/socket-client.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

/** Browsers show the answer of a captcha as the address of a link. */
const PREFIX = /^signalcaptcha:\/\//;

export const signalCaptcha: Command = {
  usage: 'CHALLENGE CAPTCHA',
  summary: 'send the captcha to Signal that it has asked administrators for',
  async run(args, io) {
    const [challenge, captcha, ...others] = args;
    if (challenge === undefined || captcha === undefined || others.length > 0) {
      throw new UsageError('signal-captcha takes the challenge of the mail and the solved captcha');
    }
    const { SIGNAL_CLI_SOCKET: socket } = readConfig(io.environment()).integrations;
    if (socket === null) throw new CommandFailure('SIGNAL_CLI_SOCKET is not set');
    await using client = new SocketClient({ allowPrivateAddresses: true });
    const { timeoutMs, isOperators: _, ...target } = signalTarget(socket);
    const params = { challenge, captcha: captcha.replace(PREFIX, '') };
    const reply = await client.converse(target, timeoutMs, (line) =>
      callSignal(line, 'submitRateLimitChallenge', params, systemRandom.uuid()),
    );
    const refusal = refusalOf(reply);
    if (refusal !== null) throw new CommandFailure(`Signal did not take the captcha: ${refusal}`);
    io.stdout.write('Signal has taken the captcha.\n');
    return 0;
  },
};

/** Null if it was taken. */
function refusalOf(reply: RpcReply | { readonly error: string }): string | null {
  if (!('kind' in reply)) return reply.error;
  if (reply.kind === 'done') return null;
  if (reply.kind === 'unexpected') return 'signal-cli gave an unexpected answer';
  const { message, code } = reply.error;
  return typeof message === 'string' ? message : `code ${code}`;
}
