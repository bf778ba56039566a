import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../config/env-file.ts';
import type { Finding } from '../domain/finding.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { systemTimers } from '../lib/timers.ts';
import { examine } from './examine.ts';
import { type DoctorWorld, Installation, thisMachine } from './installation.ts';
import { systemNames } from './names.ts';
import type { Row } from './row.ts';

export interface Doctor {
  examine(rows: readonly Row[]): Promise<Finding[]>;
}

/** Looks at the installation that this environment describes. */
export function createDoctor(environment: Environment, overrides: Partial<DoctorWorld> = {}): Doctor {
  const world: DoctorWorld = {
    environment,
    clock: systemClock,
    random: systemRandom,
    names: systemNames,
    machine: thisMachine,
    mailPort: 25,
    sendTo: null,
    beforeLooking: () => undefined,
    rest: (ms) => delay(ms),
    ...overrides,
  };
  return {
    async examine(rows) {
      await using installation = new Installation(world);
      world.beforeLooking(installation.config.database);
      return await examine(installation, rows, systemTimers);
    },
  };
}
