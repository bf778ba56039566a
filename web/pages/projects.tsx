import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { post } from '../app/api.ts';
import { open } from '../app/next.ts';
import { projectsQuery, sessionQuery } from '../app/queries.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { Logo } from '../ui/logo.tsx';

/** The projects of the person. */
export function Projects() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { data } = useSuspenseQuery(projectsQuery);
  const signOut = useMutation({
    mutationFn: () => post('/sign-out'),
    onSuccess: () => open('/accounts/login/'),
  });
  return (
    <div className="mx-auto grid max-w-[760px] gap-12 px-8 py-12">
      <title>{m.title(m.projects.title)}</title>
      <header className="flex items-center justify-between gap-8">
        <Logo />
        <div className="flex min-w-0 items-center gap-6">
          <span className="truncate text-12 text-ink-3">{session.account.email}</span>
          <Button isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
            {m.projects.signOut}
          </Button>
        </div>
      </header>
      <main className="grid gap-8">
        <h1 className="text-20">{m.projects.title}</h1>
        {data.projects.length === 0 ? (
          <p className="text-14 text-ink-2">{m.projects.none}</p>
        ) : (
          <ul className="divide-y divide-line rounded-card border border-line bg-surface shadow-1">
            {data.projects.map((project) => (
              <li key={project.uuid} className="flex items-center justify-between gap-8 px-8 py-6">
                <span className="truncate font-medium">{project.name}</span>
                <span className="text-12 text-ink-3">{m.projects.roles[project.role]}</span>
              </li>
            ))}
          </ul>
        )}
      </main>
    </div>
  );
}
