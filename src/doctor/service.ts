import { isProof, makeNonce } from '../services/instance/doctor-nonce.ts';
import type { DoctorAnswer } from '../wire/api/doctor-answer.ts';
import { basePath, LATEST_VERSION } from '../wire/api/version.ts';
import { sitePath } from '../wire/site.ts';
import { type Asked, ask, NoAnswer, type Question, readDoctorAnswer } from './asking.ts';
import type { Installation } from './installation.ts';

const API = basePath(LATEST_VERSION);
/** Addresses that stand for every address of the machine. */
const EVERY_ADDRESS = ['::', '0.0.0.0'];

/** Who answers at an address: this installation, another one, something else, or nobody. */
export type Answerer =
  | { readonly who: 'we'; readonly answer: DoctorAnswer; readonly asked: Asked }
  /** It starts, and does not know the secret yet. */
  | { readonly who: 'starting'; readonly asked: Asked }
  | { readonly who: 'another'; readonly asked: Asked }
  | { readonly who: 'something'; readonly asked: Asked }
  | { readonly who: 'nobody'; readonly reason: NoAnswer };

/** The path at which the service answers to us and to nobody else. Without a secret, one at which nobody answers. */
export async function doctorPath(installation: Installation): Promise<{ path: string; isOurs: IsOurs }> {
  const { clock, random } = installation.world;
  const known = await installation.vault();
  const nonce = known === null ? 'unknown' : makeNonce(known, clock, random);
  return {
    path: `${API}/doctor/${nonce}`,
    isOurs: (answer) => known !== null && answer !== null && isProof(known, nonce, answer.proof),
  };
}

type IsOurs = (answer: DoctorAnswer | null) => boolean;

/** Asks at the root of a site who it is. */
export async function whoAnswers(
  installation: Installation,
  root: string,
  signal: AbortSignal,
  question?: Question,
): Promise<Answerer> {
  const { names } = installation.world;
  try {
    const { path, isOurs } = await doctorPath(installation);
    const asked = await ask(root + path, names, signal, question);
    const answer = readDoctorAnswer(asked.body);
    if (answer !== null && isOurs(answer)) return { who: 'we', answer, asked };
    if (asked.status === 503 && asked.body.startsWith('starting')) return { who: 'starting', asked };
    const alive = await ask(`${root}${API}/live/`, names, signal);
    return { who: alive.status === 200 && alive.body === 'alive' ? 'another' : 'something', asked };
  } catch (error) {
    if (error instanceof NoAnswer) return { who: 'nobody', reason: error };
    throw error;
  }
}

/** The root of the service on this machine, past all proxies. Null if it listens on a port that nobody knows. */
export function localRoot({ config: { listen, site } }: Installation): string | null {
  const { port } = listen;
  if (port === 0) return null;
  const host = localHost(listen.host);
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${sitePath(site.root)}`;
}

/** An address of this machine at which a server answers that listens there. Null: it listens on every address. */
export function localHost(host: string | null): string {
  return host === null || EVERY_ADDRESS.includes(host) ? '127.0.0.1' : host;
}
