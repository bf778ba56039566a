import type { Project } from '../../domain/people/project.ts';
import { prometheusAddress, type Site } from '../site.ts';

export interface ProjectJson {
  name: string;
  uuid: string;
  prometheus_url: string | null;
}

/** Shows these fields only: a project also has keys. */
export function projectJson(
  { name, uuid }: Pick<Project, 'name' | 'uuid'>,
  site: Pick<Site, 'root'>,
  prometheusEnabled: boolean,
): ProjectJson {
  return { name, uuid, prometheus_url: prometheusEnabled ? prometheusAddress(site.root, uuid) : null };
}
