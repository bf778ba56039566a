import { ROOT } from './api.ts';

/** Opens a path of the site with a new load, so that nothing of a former person stays in memory. */
export function open(path: string): void {
  location.assign(ROOT + path);
}
