import type { Engine } from '../../src/storage/dialect.ts';

/** The number of kills in one test. KILL_ROUNDS=20 kills as often on both engines. */
export const KILL_ROUNDS: Record<Engine, number> = {
  sqlite: Number(process.env.KILL_ROUNDS ?? 5),
  postgres: Number(process.env.KILL_ROUNDS ?? 3),
};
