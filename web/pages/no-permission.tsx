import { useQuery } from '@tanstack/react-query';
import type { Destination } from '../app/destination.ts';
import { query } from '../app/read.ts';
import { m } from '../messages/index.ts';
import { Blank } from '../ui/blank.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';

/** Shown without the permission for a page: the reason, and people who can help. It stands inside the shell. */
export function NoPermission({ project }: { readonly project: string | undefined }) {
  const { data } = useQuery(query.ownProjects());
  const known = data?.projects.find(({ uuid }) => uuid === project);
  const home: Destination =
    known === undefined ? { to: '/' } : { to: '/projects/$project/checks/', params: { project: known.uuid } };
  const t = m.noPermission;
  return (
    <Page title={t.title} above={[{ label: known?.name ?? m.shell.projects, ...home }]}>
      <div className="grid min-h-[60dvh] content-center">
        <Blank
          shape="off"
          title={t.lead}
          actions={<ButtonLink {...home}>{known === undefined ? m.notFound.home : t.toChecks}</ButtonLink>}
        >
          {known !== undefined &&
            known.role !== 'owner' &&
            t.help(m.roles[known.role], known.name, known.owner)}
        </Blank>
      </div>
    </Page>
  );
}
