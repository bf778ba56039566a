import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>;

/** Just enough of RFC 8949 for what a device sends. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  if (count < 256) return Buffer.from([(major << 5) | 24, count]);
  return Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
}

const VERIFIED = 0x04;
const PRESENT = 0x01;
const HAS_CREDENTIAL = 0x40;

interface Options {
  readonly challenge: string;
}

/** A device with one key, which answers as a browser passes it on. */
export class VirtualAuthenticator {
  readonly credentialId: Buffer;
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly #rpId: string;
  readonly #origin: string;
  /** Whether it verifies the person, by a PIN or a finger. */
  verifies = true;
  counter = 0;

  /** `known` is a key that was made elsewhere. */
  constructor(rpId: string, origin: string, known?: { credentialId: string; privateKey: string }) {
    this.#rpId = rpId;
    this.#origin = origin;
    this.credentialId = known === undefined ? randomBytes(16) : Buffer.from(known.credentialId, 'base64url');
    this.#keys =
      known === undefined
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : { publicKey: createPublicKey(known.privateKey), privateKey: createPrivateKey(known.privateKey) };
  }

  create({ challenge }: Options): Record<string, unknown> {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const length = Buffer.from([0, this.credentialId.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.credentialId, cbor(key)]);
    const authData = Buffer.concat([this.#authData(HAS_CREDENTIAL), credential]);
    const attestation = new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
    });
  }

  get({ challenge }: Options): Record<string, unknown> {
    this.counter++;
    const authData = this.#authData(0);
    const clientData = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    });
  }

  #answer(response: Record<string, string>): Record<string, unknown> {
    const id = this.credentialId.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #authData(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const all = flags | PRESENT | (this.verifies ? VERIFIED : 0);
    return Buffer.concat([createHash('sha256').update(this.#rpId).digest(), Buffer.from([all]), counter]);
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }
}
