import type { Project } from '../../domain/people/project.ts';
import { prometheusAddress, type Site } from '../site.ts';

export type ProjectJson = ReturnType<typeof projectJson>;

/** Shows these fields only: a project also has keys. */
export function projectJson(
  { name, uuid }: Pick<Project, 'name' | 'uuid'>,
  site: Pick<Site, 'root'>,
  prometheusEnabled: boolean,
) {
  return { name, uuid, prometheus_url: prometheusEnabled ? prometheusAddress(site.root, uuid) : null };
}
