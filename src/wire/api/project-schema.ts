import { component, nullable, object, text, url, uuid } from '../openapi/schema.ts';
import type { ProjectJson } from './project-output.ts';

export const PROJECT_SCHEMA = component(
  'Project',
  object<ProjectJson>({
    name: text('What its owner calls it.'),
    uuid: uuid('Part of the addresses of the project. It opens nothing by itself.'),
    prometheus_url: nullable(
      url(
        'Where a Prometheus server scrapes the checks of the project, with a read-only key as bearer token; null where the operator has switched that off.',
      ),
    ),
  }),
);
