import { rotateBadgeKey as replaceKey } from '../services/badges.ts';
import { projectAct } from './act.ts';

export const rotateBadgeKey = projectAct({
  permission: 'keys.edit',
  run: (deps, { actor }) => replaceKey(deps, actor),
});
