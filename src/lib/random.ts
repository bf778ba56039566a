import { randomBytes, randomUUID } from 'node:crypto';

/** The source of chance. Nothing below `main` draws random values in any other way. */
export interface Random {
  bytes(count: number): Uint8Array;
  uuid(): string;
}

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
};

/** A random number from 0 to 1, to spread things in time. */
export function chance({ bytes }: Pick<Random, 'bytes'>): number {
  const [byte = 0] = bytes(1);
  return byte / 255;
}
