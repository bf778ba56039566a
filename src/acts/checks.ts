import { checkAct } from './act.ts';

export const pauseCheck = checkAct({
  permission: 'checks.edit',
  run: async ({ checkWriter }, { actor, checkId }) => {
    await checkWriter.perform({ verb: 'pause', actor, id: checkId });
  },
});

export const resumeCheck = checkAct({
  permission: 'checks.edit',
  run: async ({ checkWriter }, { actor, checkId }) => {
    await checkWriter.perform({ verb: 'resume', actor, id: checkId });
  },
});
