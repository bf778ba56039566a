import { randomBytes, randomUUID } from 'node:crypto';

/** Where chance comes from. Nothing below `main` draws random values in any other way. */
export interface Random {
  bytes(count: number): Uint8Array;
  uuid(): string;
}

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
};
