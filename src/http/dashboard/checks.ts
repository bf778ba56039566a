import type { CheckWriter } from '../../services/check-writer.ts';
import type { CheckOperation, Route } from '../route.ts';
import { checkRoute, onCheck } from './dashboard-route.ts';

/** What people do to a check. */
export function checkRoutes(checkWriter: Pick<CheckWriter, 'perform'>): Route[] {
  const simply = (verb: 'pause' | 'resume'): CheckOperation =>
    onCheck('checks.edit', async ({ actor, check }) => {
      await checkWriter.perform({ verb, actor, id: check.id });
      return { status: 204 };
    });

  return [checkRoute('/pause', { POST: simply('pause') }), checkRoute('/resume', { POST: simply('resume') })];
}
