// The server of this page: reading over HTTP, and the socket that tells what changes.

const BASE = new URL('api/v1/', location.href);
const SILENT_MS = 12_000; // the server speaks every five seconds
const AGAIN_MS = 2_000;

/** The token comes once, in the fragment of the URL; then it stays in this tab. */
function token() {
  const given = location.hash.slice(1);
  if (given && !given.startsWith('shoe=')) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem('token') ?? '';
}

export const TOKEN = token();

export const read = (path) => ask(path, {});

export const tell = (path, said) => ask(path, { method: 'POST', body: JSON.stringify(said) });

async function ask(path, how) {
  const answer = await fetch(new URL(path, BASE), { ...how, headers: { Authorization: `Bearer ${TOKEN}` } });
  const data = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(`${data.error} ${data.advice}`), { status: answer.status });
  return data;
}

/** Keeps a socket open. `told(message)` for each text, `cut(state)` while there is none: lost, or the token is refused. */
export class LiveUpdates {
  constructor(wanted, told, cut) {
    Object.assign(this, { wanted, told, cut, ended: false });
    this.open();
  }

  open() {
    const address = new URL('live', BASE);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = (this.socket = new WebSocket(address));
    socket.onopen = () => (this.ended ? socket.close() : socket.send(JSON.stringify({ token: TOKEN, ...this.wanted() })));
    socket.onmessage = ({ data }) => {
      if (this.ended) return; // it was on its way
      this.heard(socket);
      this.told(JSON.parse(data));
    };
    socket.onclose = ({ code }) => {
      if (this.ended || socket !== this.socket) return;
      clearTimeout(this.timer);
      this.cut(code === 4401 ? 'refused' : 'lost');
      if (code !== 4401) this.timer = setTimeout(() => this.open(), AGAIN_MS);
    };
    this.heard(socket);
  }

  heard(socket) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.cut('lost');
      socket.close();
      if (!this.ended) this.open();
    }, SILENT_MS);
  }

  end() {
    this.ended = true;
    clearTimeout(this.timer);
    // The browser complains about a socket that is closed while it connects; such a one closes as soon as it is open.
    if (this.socket.readyState !== WebSocket.CONNECTING) this.socket.close();
  }
}
