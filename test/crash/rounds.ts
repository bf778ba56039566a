import type { Engine } from '../../src/storage/dialect.ts';

/** How often a service is killed in one test. */
export type Rounds = Readonly<Record<Engine, number>>;

/** In the long forms. KILL_ROUNDS=20 kills as often on both engines. */
export const MANY_ROUNDS: Rounds = {
  sqlite: Number(process.env.KILL_ROUNDS ?? 5),
  postgres: Number(process.env.KILL_ROUNDS ?? 3),
};

export const ONE_ROUND: Rounds = { sqlite: 1, postgres: 1 };
