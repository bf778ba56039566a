import { growthOf } from '../domain/growth.ts';
import { MICROS_PER_SECOND, type Micros } from '../lib/instant.ts';
import { readDatabaseSizes } from '../services/instance/database-sizes.ts';
import { mainView } from './view.ts';

export type { Disk, Growth } from '../domain/growth.ts';
export type { Ailment, LoopName } from '../domain/vitals.ts';

/** Every setting, and the origin of its value. Secrets are masked. */
export const instanceSettings = mainView.person({
  permission: 'instance.view',
  read: async ({ instance }) =>
    instance.settings.map(({ name, value, origin, doc }) => ({ name, value, origin, doc })),
});

/** The health of this node. Values are null while the database does not answer. */
export const instanceHealth = mainView.person({
  permission: 'instance.view',
  read: async ({ store, clock, instance }) => {
    const [measured, sizes] = await Promise.all([
      instance.vitals.measure(),
      readDatabaseSizes({ store }).catch(() => []),
    ]);
    const { backlog, lateness, databaseBytes, disk } = measured;
    return {
      version: measured.version,
      /** Why the node is not ready. Empty if it is. */
      reasons: measured.ailments,
      loops: Object.entries(measured.loops).map(([name, { ticks, failures, sinceSuccess, bound }]) => ({
        ...{ name, ticks, failures },
        secondsSinceSuccess: inSeconds(sinceSuccess),
        /** More than this is too long. */
        maxSeconds: inSeconds(bound),
      })),
      queues: {
        pings: measured.queueLength,
        deliveries: backlog?.openDeliveries ?? null,
        mails: backlog?.openMails ?? null,
        bodyMoves: backlog?.bodyMoves ?? null,
      },
      lateSeconds: {
        deadlines: lateness && inSeconds(lateness.deadline),
        deliveries: lateness && inSeconds(lateness.delivery),
      },
      secondsSinceWrite: inSeconds(measured.sinceWrite),
      eventLoopLagSeconds: measured.eventLoopLagSeconds,
      memoryBytes: measured.residentBytes,
      databaseBytes,
      growth:
        databaseBytes === null ? null : growthOf(sizes, { at: clock.now(), bytes: databaseBytes }, disk),
      /** Null if it cannot be seen from this node. */
      disk,
    };
  },
});

function inSeconds(span: Micros): number {
  return Math.round(span / MICROS_PER_SECOND);
}
