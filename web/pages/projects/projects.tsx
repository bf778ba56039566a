import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../../app/queries.ts';
import { m } from '../../messages/index.ts';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';

/** The projects of the person. */
export function Projects() {
  const { data } = useSuspenseQuery(projectsQuery);
  return (
    <Page title={m.projects.title} crumbs={[{ label: m.projects.title, to: null }]}>
      <PageBody>
        <PageHead title={m.projects.title} />
        {data.projects.length === 0 ? (
          <p className="text-14 text-ink-2">{m.projects.none}</p>
        ) : (
          <ul className="divide-y divide-line rounded-card border border-line bg-surface shadow-1">
            {data.projects.map((project) => (
              <li key={project.uuid} className="flex items-center justify-between gap-8 px-8 py-6">
                <Link to={`/projects/${project.uuid}/checks/`} className="truncate font-medium">
                  {project.name}
                </Link>
                <span className="text-12 text-ink-3">{m.roles[project.role]}</span>
              </li>
            ))}
          </ul>
        )}
      </PageBody>
    </Page>
  );
}
