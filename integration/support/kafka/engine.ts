/** The container engine: whether one answers, which images it has, and what was left in it by runs that are over. */
import { randomBytes } from 'node:crypto'
import { getContainerRuntimeClient } from 'testcontainers'
import { REAPER_IMAGE } from 'testcontainers/build/reaper/reaper'

export type Engine = Awaited<ReturnType<typeof getContainerRuntimeClient>>

/** @throws where none answers. */
export async function engine(): Promise<Engine> {
  const client = await getContainerRuntimeClient()
  const asked = process.env.DOCKER_HOST
  // testcontainers tries the usual socket too; who names a host means that one and no other.
  if (asked && !isAt(client, asked)) throw new Error(`no container engine answers at DOCKER_HOST=${asked}`)
  await reaperIfThere(client)
  return client
}

/**
 * testcontainers' own clean-up runs from an image, and fails where that cannot be pulled. The keeper does without, so
 * the reaper is only used where its image is at hand.
 */
async function reaperIfThere({ container }: Engine): Promise<void> {
  if (process.env.TESTCONTAINERS_RYUK_DISABLED !== undefined) return
  const there = await container.dockerode
    .getImage(REAPER_IMAGE)
    .inspect()
    .then(
      () => true,
      () => false,
    )
  process.env.TESTCONTAINERS_RYUK_DISABLED = String(!there)
}

function isAt({ container }: Engine, url: string): boolean {
  const { socketPath, host, port } = container.dockerode.modem as { socketPath?: string; host?: string; port?: number }
  const { protocol, hostname, pathname, port: wantedPort } = new URL(url)
  if (protocol === 'unix:') return socketPath === pathname
  return host === hostname && (wantedPort === '' || String(port) === wantedPort)
}

const ownerLabel = 'kafkajs-sticky-assignor.owner'
const runLabel = 'kafkajs-sticky-assignor.run'

/** Labels of what one cluster starts: a name for all of it, and whose it is. */
export function ownerLabels(): { labels: Record<string, string>; label: string } {
  const run = `${process.pid}-${randomBytes(3).toString('hex')}`
  return { labels: { [ownerLabel]: String(process.pid), [runLabel]: run }, label: `${runLabel}=${run}` }
}

/** Removes containers, networks and test images whose owner does not live any more, not even long enough for its keeper. */
export async function sweepAbandoned(): Promise<void> {
  const { dockerode } = (await engine()).container
  const filters = JSON.stringify({ label: [ownerLabel] })
  for (const { Id, Labels } of await dockerode.listContainers({ all: true, filters }))
    if (!isAlive(Labels[ownerLabel])) await dockerode.getContainer(Id).remove({ force: true, v: true })
  for (const { Id, Labels } of await dockerode.listNetworks({ filters }))
    if (!isAlive(Labels?.[ownerLabel])) await dockerode.getNetwork(Id).remove()
  await sweepImages()
}

/** Tags of images that a test process builds end with its id. */
export const testImage = (name: string): string => `${name}:test-${process.pid}`

async function sweepImages(): Promise<void> {
  const { dockerode } = (await engine()).container
  for (const { RepoTags } of await dockerode.listImages())
    for (const tag of RepoTags ?? []) {
      const pid = /^localhost\/kafkajs-sticky-assignor[^:]*:test-(\d+)$/.exec(tag)?.[1]
      if (pid !== undefined && !isAlive(pid)) await dockerode.getImage(tag).remove()
    }
}

function isAlive(pid: string | undefined): boolean {
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    // EPERM: somebody else's, but alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export async function hasImage(image: string): Promise<boolean> {
  const { dockerode } = (await engine()).container
  return dockerode
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    )
}

/** @throws with the registry's answer. */
export async function pullImage(image: string): Promise<void> {
  const { dockerode } = (await engine()).container
  const progress = await dockerode.pull(image)
  await new Promise<void>((resolve, reject) =>
    dockerode.modem.followProgress(progress, (error: Error | null) => (error ? reject(error) : resolve())),
  )
}
