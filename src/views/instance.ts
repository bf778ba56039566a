import { MICROS_PER_SECOND, type Micros } from '../lib/instant.ts';
import { mainView } from './view.ts';

export type { LoopName } from '../domain/vitals.ts';

/** Every setting, and the origin of its value. Secrets are masked. */
export const instanceSettings = mainView.person({
  permission: 'instance.view',
  read: async ({ instance }) =>
    instance.settings.map(({ name, value, origin, doc }) => ({ name, value, origin, doc })),
});

/** The health of this node. Values are null while the database does not answer. */
export const instanceHealth = mainView.person({
  permission: 'instance.view',
  read: async ({ store, instance }) => {
    const [measured, databaseBytes] = await Promise.all([
      instance.vitals.measure(),
      store.instance.databaseBytes().catch(() => null),
    ]);
    const { backlog, lateness } = measured;
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
    };
  },
});

function inSeconds(span: Micros): number {
  return Math.round(span / MICROS_PER_SECOND);
}
