import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import type { ConnectedJson, ConnectionChoiceJson } from '../../../src/wire/dashboard/connection-output.ts';
import { post } from '../../app/api.ts';
import { keptInBrowser } from '../../app/kept.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { tell } from '../../ui/toasts.tsx';
import { LEFT_PROJECT } from './left-project.ts';
import { refreshChannels } from './queries.ts';

const words = m.integrations.connect;

/** What the person brings from the provider. It can be handed in once, or is an invitation of a destination. */
const finishQuery = (path: string, answer: string) =>
  queryOptions({
    queryKey: ['connection', path, answer],
    queryFn: () => {
      const invitation = new URLSearchParams(answer).get('invitation');
      return invitation === null
        ? post<ConnectedJson>('/connections/finish', { path, answer })
        : post<ConnectedJson>('/connections/invitation', { invitation });
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { live: 'never' },
  });

/** Where a provider sends people back to who set up an integration there. */
export function Connect() {
  const { way } = useParams({ from: '/signed-in/plain/integrations/$way' });
  const { searchStr, hash } = useLocation();
  const answer = [searchStr.replace(/^\?/, ''), hash].filter((part) => part !== '').join('&');
  const { data: connected, error } = useQuery(finishQuery(way, answer));
  const goOn = useGoOn();
  const leave = useEffectEvent(goOn);
  useEffect(() => {
    if (connected !== undefined) leave(connected);
  }, [connected]);
  const hasChoices = connected !== undefined && connected.choices.length > 0;
  const isForNobody = connected !== undefined && connected.destination !== null && !hasChoices;
  return (
    <Page title={words.title} crumbs={[{ label: words.title }]}>
      <PageBody>
        {error !== null && (
          <Blank title={error.message} actions={<WayBack />}>
            {words.failed}
          </Blank>
        )}
        {isForNobody && (
          <Blank title={words.noProject} actions={<ButtonLink to="/">{words.back}</ButtonLink>}>
            {words.noProjectLead}
          </Blank>
        )}
        {error === null && !hasChoices && !isForNobody && <p role="status">{words.finishing}</p>}
        {hasChoices && <Choices connected={connected} onChosen={goOn} />}
      </PageBody>
    </Page>
  );
}

/** To where the person can start again. Of an invitation nobody knows that. */
function WayBack() {
  const project = keptInBrowser(LEFT_PROJECT);
  if (typeof project !== 'string') return <ButtonLink to="/">{words.back}</ButtonLink>;
  return (
    <ButtonLink to="/projects/$project/integrations/" params={{ project }}>
      {m.integrations.setUp.back}
    </ButtonLink>
  );
}

/** Leads on to where the person has to go after that, if they need not choose. */
function useGoOn() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return ({ project, label, added, address }: ConnectedJson) => {
    if (address !== null) window.location.assign(address);
    if (project === null || added.length === 0) return;
    tell(words.added(label, added));
    void refreshChannels(queries, project);
    void navigate({ to: '/projects/$project/integrations/', params: { project }, replace: true });
  };
}

function Choices({
  connected: { label, destination, choices },
  onChosen,
}: {
  readonly connected: ConnectedJson;
  readonly onChosen: (connected: ConnectedJson) => void;
}) {
  const form = useForm(({ choice }) => post<ConnectedJson>('/connections/choose', { choice }), onChosen);
  const error = form.otherError();
  const groups = [...Map.groupBy(choices, ({ group }) => group)];
  return (
    <>
      <PageHead
        title={destination === null ? words.choose(label) : words.chooseProject(label, destination)}
        lead={words.chooseLead}
      />
      <form className="grid max-w-[480px] gap-8" onSubmit={form.onSubmit}>
        <Select label={destination === null ? words.destination : words.project} name="choice">
          {groups.map(([group, members]) =>
            group === '' ? (
              <Options key={group} choices={members} />
            ) : (
              <optgroup key={group} label={group}>
                <Options choices={members} />
              </optgroup>
            ),
          )}
        </Select>
        {error !== null && <ErrorText>{error}</ErrorText>}
        <Button kind="primary" type="submit" className="justify-self-start" isBusy={form.isBusy}>
          {words.submit}
        </Button>
      </form>
    </>
  );
}

function Options({ choices }: { readonly choices: readonly ConnectionChoiceJson[] }) {
  return choices.map(({ name, choice }) => (
    <option key={choice} value={choice}>
      {name}
    </option>
  ));
}
