import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Note } from '../../ui/note.tsx';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { tell } from '../../ui/toasts.tsx';
import { ChannelForm } from './channel-form.tsx';
import { ConnectButton } from './connect-button.tsx';
import { draftBody, newDraft } from './draft.ts';
import { KindTile } from './kind-tile.tsx';
import { type ChannelKind, kindsQuery } from './queries.ts';

const words = m.integrations.setUp;

/** The page that sets up an integration of one kind. */
export function SetUp() {
  const project = useProject();
  const { kind: name } = useParams({ from: '/signed-in/projects/$project/integrations/new/$kind' });
  const { kinds } = useSuspenseQuery(kindsQuery(project.uuid)).data;
  const kind = kinds.find((one) => one.kind === name);
  const title = kind === undefined ? words.unknown : words.add(kind.label);
  const params = { project: project.uuid };
  return (
    <Page
      title={title}
      project={project}
      above={[{ label: m.integrations.name, to: '/projects/$project/integrations/', params }]}
    >
      {kind !== undefined && kind.missing === null && mayWrite(project) ? (
        kind.mustConnect ? (
          <PageBody>
            <Introduction kind={kind} project={project.uuid} />
            <ButtonLink to="/projects/$project/integrations/" params={params} className="justify-self-start">
              {words.back}
            </ButtonLink>
          </PageBody>
        ) : (
          <NewChannel kind={kind} project={project.uuid} />
        )
      ) : (
        <PageBody>
          <Blank
            title={kind === undefined || mayWrite(project) ? title : words.readOnly}
            actions={
              <ButtonLink to="/projects/$project/integrations/" params={params}>
                {words.back}
              </ButtonLink>
            }
          >
            {kind?.missing ? (
              <>
                {words.missing(kind.missing)}{' '}
                <DocsLink path={`integrations/${kind.kind}/`}>{m.docs.setUp(kind.label)}</DocsLink>
              </>
            ) : (
              words.unknownLead
            )}
          </Blank>
        </PageBody>
      )}
    </Page>
  );
}

/** Messages that cost the operator money are limited. */
function QuotaNote({ quota: { used, limit } }: { readonly quota: NonNullable<ChannelKind['quota']> }) {
  return (
    <Note kind={used < limit ? 'plain' : 'late'}>
      {words.quota(used, limit)} {used >= limit && words.quotaReached}
    </Note>
  );
}

/** The description of the kind, and how people let this service into the destination. */
function Introduction({ kind, project }: { readonly kind: ChannelKind; readonly project: string }) {
  const { label, description, quota, invitation } = kind;
  return (
    <>
      <div className="flex items-start gap-4">
        <KindTile kind={kind} size="large" />
        <PageHead
          title={words.add(label)}
          lead={
            <>
              {description} <DocsLink path={`integrations/${kind.kind}/`}>{m.docs.setUp(label)}</DocsLink>
            </>
          }
        />
      </div>
      {quota !== null && <QuotaNote quota={quota} />}
      {invitation !== null && <Note>{invitation}</Note>}
      {kind.canConnect && <ConnectButton {...{ project, kind }} />}
    </>
  );
}

type Assigned = 'all' | 'none';

function NewChannel({ kind, project }: { readonly kind: ChannelKind; readonly project: string }) {
  const { checks } = useSuspenseQuery(query.channelOverview({ project })).data;
  const [assigned, setAssigned] = useState<Assigned>('all');
  const navigate = useNavigate();
  const leave = () => navigate({ to: '/projects/$project/integrations/', params: { project } });
  return (
    <ChannelForm
      {...{ project, kind }}
      head={<Introduction {...{ kind, project }} />}
      channel={null}
      start={newDraft(kind)}
      save={(draft) =>
        act.createChannel({
          project,
          ...draftBody(kind, null, draft),
          ...{ kind: kind.kind, name: draft.name, checks: assigned === 'all' ? '*' : '' },
        })
      }
      onCancel={leave}
      onSaved={({ id, health, notAsked: error }) => {
        const needsCode = health === 'unconfirmed' && kind.confirmedBy === 'code';
        tell(error === null ? addedWords(kind, health) : words.notAsked(error));
        void (needsCode
          ? navigate({ to: '/projects/$project/integrations/$channel/', params: { project, channel: id } })
          : leave());
      }}
    >
      <div className="grid justify-items-start gap-1.5">
        <p className="text-13 font-medium">{words.forChecks}</p>
        <Segments
          label={words.forChecks}
          choices={[
            { value: 'all', label: words.allChecks(checks) },
            { value: 'none', label: words.noChecks },
          ]}
          value={assigned}
          onChange={setAssigned}
        />
        <p className="text-12 text-ink-3">{words.forChecksHint}</p>
      </div>
    </ChannelForm>
  );
}

function addedWords({ label, confirmedBy: by }: ChannelKind, health: string): string {
  if (health !== 'unconfirmed') return words.added(label);
  return by === 'code' ? words.codeAsked(label) : words.asked(label);
}
