import { rotateBadgeKey as replaceKey } from '../services/public/badges.ts';
import { projectAct } from './act.ts';

export const rotateBadgeKey = projectAct({
  permission: 'keys.edit',
  run: (deps, { actor }) => replaceKey(deps, actor),
});
