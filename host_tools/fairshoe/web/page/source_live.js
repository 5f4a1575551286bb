// Where the live view comes from: a WebSocket of `fairshoe web PORT`. It reconnects by itself, and begins with a
// snapshot each time. `listen` gets {snapshot} or {delta} with {t, age_s}, {answer}, or {down}: why there is no server.

const RETRY_MS = 500;
const RETRY_MS_MAX = 5000;
const QUIET_MS = 4000; // the server says something every second

export class LiveSource {
  constructor(listen, address, program = 'fairshoe web', Socket = WebSocket) {
    Object.assign(this, { listen, address, program, Socket, retry_ms: RETRY_MS, opened: false });
    this.connect();
  }

  connect() {
    const socket = new this.Socket(this.address);
    this.socket = socket;
    socket.onmessage = ({ data }) => {
      this.opened = true;
      this.retry_ms = RETRY_MS;
      this.listenFor(socket);
      this.listen(JSON.parse(data));
    };
    socket.onclose = () => this.lost(socket);
  }

  /** A connection that says nothing for too long is as good as closed. */
  listenFor(socket) {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => {
      socket.close();
      this.lost(socket);
    }, QUIET_MS);
  }

  lost(socket) {
    if (socket !== this.socket) return; // said already
    this.socket = null;
    clearTimeout(this.quiet);
    const never = `no answer from the server: open the URL that \`${this.program}\` has printed, with its token`;
    const gone = `the server does not answer: is \`${this.program}\` still running? If it was started again, open the URL that it has printed: its token is new`;
    this.listen({ down: this.opened ? gone : never });
    this.retry_at = performance.now() + this.retry_ms;
    setTimeout(() => this.connect(), this.retry_ms);
    this.retry_ms = Math.min(2 * this.retry_ms, RETRY_MS_MAX);
  }

  command(name, argument) {
    this.send(argument === undefined ? { command: name } : { command: name, argument });
  }

  send(value) {
    this.socket?.send(JSON.stringify(value));
  }
}
