//! A Redis server as the broker.
//!
//! Redis streams fit: they keep a bounded history, so that whoever joins later learns what was found before, and they
//! need no more of the server than any Debian machine has. A run has two streams, one for lemmas and one for verdicts,
//! and a counter of the processes that have joined; their names hold the name of the run and the fingerprint of the
//! system, so that different problems under one name do not mix. Streams are trimmed, and expire when nobody has
//! written for an hour.
//!
//! Parts of a problem ([`RedisQueue`]) are a third stream, which is read by a group of consumers: the server hands each entry to one
//! process, knows who that is and since when, and gives an entry to another process if the first has been silent. Entries
//! have the numbers of parts as their ids, and the server refuses an id that is not greater than all before; so whoever
//! publishes the parts again changes nothing. Results are a fourth stream. The result of a part is added and its entry
//! acknowledged in one transaction.

use std::time::Duration;

use redis::streams::StreamReadReply;
use redis::{Client, Connection, ConnectionAddr, IntoConnectionInfo, RedisConnectionInfo, RedisError, Value};
use shem_chc::Fingerprint;

use crate::address::Address;
use crate::link::{Channel, Link, LinkError, Message};
use crate::queue::{PartQueue, Taken};

/// The channels, and how many of their messages the server keeps, about.
const CHANNELS: [Channel; 2] = [Channel::Lemmas, Channel::Verdicts];
const KEPT: [usize; 2] = [2_000, 16];

/// How long it keeps them after the last one, in seconds.
const EXPIRY: usize = 3_600;

/// How long a connection or an answer may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The field of a stream's entry that holds the message.
const FIELD: &str = "m";

/// A link through a Redis server. It connects when it is used.
pub struct RedisLink {
    client: Client,
    connection: Option<Connection>,
    /// The streams of lemmas and of verdicts, with the last entry that was read.
    streams: [(String, String); 2],
    /// Where the processes that have joined are counted.
    counter: String,
}

impl RedisLink {
    /// The link of a run about this system.
    pub fn new(address: &Address, about: Fingerprint) -> Result<RedisLink, LinkError> {
        let client = client(address)?;
        let stream = |kind: &str| (format!("shem:{}:{about}:{kind}", address.run), "0".to_owned());
        let (counter, _) = stream("processes");
        let streams = [stream("lemmas"), stream("verdicts")];
        Ok(RedisLink { client, connection: None, streams, counter })
    }

    /// Runs a job with a connection, which is closed if the job fails.
    fn with<T>(
        &mut self,
        job: impl FnOnce(&mut Connection, &mut [(String, String); 2]) -> Result<T, RedisError>,
    ) -> Result<T, LinkError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(&self.client).map_err(|error| link_error(&error))?,
        };
        let result = job(&mut connection, &mut self.streams).map_err(|error| link_error(&error))?;
        self.connection = Some(connection);
        Ok(result)
    }
}

/// The client of the server at an address.
fn client(address: &Address) -> Result<Client, LinkError> {
    // This fails if a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (host, port) = (address.host.clone(), address.port);
    let target = if address.tls {
        ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
    } else {
        ConnectionAddr::Tcp(host, port)
    };
    let mut settings = RedisConnectionInfo::default();
    let (user, password) = address.credentials();
    if let Some(user) = user {
        settings = settings.set_username(user);
    }
    if let Some(password) = password {
        settings = settings.set_password(password);
    }
    let info =
        target.into_connection_info().map_err(|error| link_error(&error))?.set_redis_settings(settings);
    Client::open(info).map_err(|error| link_error(&error))
}

fn connect(client: &Client) -> Result<Connection, RedisError> {
    let connection = client.get_connection_with_timeout(TIMEOUT)?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.set_write_timeout(Some(TIMEOUT))?;
    Ok(connection)
}

/// The kind of an error, without the text of the server or the address, where credentials may be.
fn link_error(error: &RedisError) -> LinkError {
    LinkError(error.category().to_owned())
}

impl Link for RedisLink {
    fn number(&mut self) -> Result<u64, LinkError> {
        let key = self.counter.clone();
        self.with(|connection, _| {
            let mut both = redis::pipe();
            both.cmd("INCR").arg(&key).cmd("EXPIRE").arg(&key).arg(EXPIRY).ignore();
            both.query::<(u64,)>(connection)
        })
        .map(|(count,)| count.saturating_sub(1))
    }

    fn send(&mut self, channel: Channel, message: &[u8]) -> Result<(), LinkError> {
        let kept = KEPT[channel as usize];
        self.with(|connection, streams| {
            let key = &streams[channel as usize].0;
            let mut both = redis::pipe();
            both.cmd("XADD").arg(key).arg("MAXLEN").arg("~").arg(kept).arg("*").arg(FIELD).arg(message);
            both.ignore().cmd("EXPIRE").arg(key).arg(EXPIRY).ignore();
            both.query::<()>(connection)
        })
    }

    fn receive(&mut self, most: usize, wait: Duration) -> Result<Vec<Message>, LinkError> {
        self.with(|connection, streams| {
            let mut command = redis::cmd("XREAD");
            command.arg("COUNT").arg(most).arg("BLOCK").arg(wait.as_millis().max(1) as u64);
            command.arg("STREAMS");
            streams.iter().map(|(key, _)| key).chain(streams.iter().map(|(_, last)| last)).for_each(|word| {
                command.arg(word);
            });
            let reply: Option<StreamReadReply> = command.query(connection)?;
            let mut messages = Vec::new();
            for stream in reply.unwrap_or_default().keys {
                let Some(at) = streams.iter().position(|(key, _)| *key == stream.key) else { continue };
                let last = &mut streams[at].1;
                for entry in stream.ids {
                    *last = entry.id;
                    if let Some(Value::BulkString(message)) = entry.map.into_values().next() {
                        messages.push((CHANNELS[at], message));
                    }
                }
            }
            Ok(messages)
        })
    }
}

/// The group of consumers that reads the parts.
const GROUP: &str = "solvers";

/// How many parts that were taken are looked at for one whose process is silent.
const MOST_PENDING: usize = 1_000;

/// How many results are read at once, and how many the server keeps, about.
const MOST_RESULTS: usize = 16;
const KEPT_RESULTS: usize = 4_096;

/// The parts of a problem at a Redis server. It connects when it is used.
pub struct RedisQueue {
    client: Client,
    connection: Option<Connection>,
    /// The streams of parts and of results.
    parts: String,
    results: String,
    /// The last result that was read.
    last: String,
    /// The name of this process.
    consumer: String,
}

impl RedisQueue {
    /// The queue of a run about this system and its parts, for the process of this number.
    pub fn new(
        address: &Address,
        about: Fingerprint,
        parts: Fingerprint,
        sender: u64,
    ) -> Result<RedisQueue, LinkError> {
        let name = |kind: &str| format!("shem:{}:{about}:{parts}:{kind}", address.run);
        Ok(RedisQueue {
            client: client(address)?,
            connection: None,
            parts: name("parts"),
            results: name("results"),
            last: "0".to_owned(),
            consumer: sender.to_string(),
        })
    }

    /// Runs a job with a connection, which is closed if the job fails.
    fn with<T>(
        &mut self,
        job: impl FnOnce(&mut Connection, &mut RedisQueue) -> Result<T, RedisError>,
    ) -> Result<T, LinkError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(&self.client).map_err(|error| link_error(&error))?,
        };
        let result = job(&mut connection, self).map_err(|error| link_error(&error))?;
        self.connection = Some(connection);
        Ok(result)
    }

    /// Makes an entry that another consumer has the own one, if that was silent for so long.
    fn claim(
        &self,
        connection: &mut Connection,
        id: &str,
        silent: Duration,
    ) -> Result<Vec<String>, RedisError> {
        let mut command = redis::cmd("XCLAIM");
        command.arg(&self.parts).arg(GROUP).arg(&self.consumer).arg(silent.as_millis() as u64);
        command.arg(id).arg("JUSTID").query(connection)
    }
}

/// The id of the entry of a part: not zero, which no entry may have.
fn id_of(part: usize) -> String {
    format!("1-{}", part + 1)
}

/// The part of an entry.
fn part_of(id: &str) -> Option<usize> {
    id.strip_prefix("1-")?.parse::<usize>().ok()?.checked_sub(1)
}

/// An entry that was handed to a consumer: its id, the consumer, for how many milliseconds it was not heard of, how often it
/// was handed out.
type Pending = (String, String, u64, u64);

impl PartQueue for RedisQueue {
    fn publish(&mut self, parts: usize) -> Result<(), LinkError> {
        self.with(|connection, own| {
            own.last = "0".to_owned();
            let made = redis::cmd("XGROUP")
                .arg("CREATE")
                .arg(&own.parts)
                .arg(GROUP)
                .arg("0")
                .arg("MKSTREAM")
                .query::<Value>(connection);
            match made {
                Err(error) if error.code() != Some("BUSYGROUP") => return Err(error),
                _ => {}
            }
            for part in 0..parts {
                let mut command = redis::cmd("XADD");
                command.arg(&own.parts).arg(id_of(part)).arg(FIELD).arg(part);
                match command.query::<Value>(connection) {
                    // An id that is not greater than the last one: the part was published before.
                    Err(error) if error.code() != Some("ERR") => return Err(error),
                    _ => {}
                }
            }
            redis::cmd("EXPIRE").arg(&own.parts).arg(EXPIRY).query::<Value>(connection).map(drop)
        })
    }

    fn take(&mut self, silent: Duration) -> Result<Option<Taken>, LinkError> {
        self.with(|connection, own| {
            let mut command = redis::cmd("XREADGROUP");
            command.arg("GROUP").arg(GROUP).arg(&own.consumer).arg("COUNT").arg(1);
            command.arg("STREAMS").arg(&own.parts).arg(">");
            let reply: Option<StreamReadReply> = command.query(connection)?;
            let entries = reply.unwrap_or_default().keys.into_iter().flat_map(|stream| stream.ids);
            if let Some(part) = entries.filter_map(|entry| part_of(&entry.id)).next() {
                return Ok(Some(Taken { part, inherited: false }));
            }
            let mut command = redis::cmd("XPENDING");
            command.arg(&own.parts).arg(GROUP).arg("-").arg("+").arg(MOST_PENDING);
            let pending: Vec<Pending> = command.query(connection)?;
            for (id, consumer, idle, _) in pending {
                let Some(part) = part_of(&id) else { continue };
                if consumer == own.consumer || u128::from(idle) < silent.as_millis() {
                    continue;
                }
                // Another process may have been faster.
                if !own.claim(connection, &id, silent)?.is_empty() {
                    return Ok(Some(Taken { part, inherited: true }));
                }
            }
            Ok(None)
        })
    }

    fn keep(&mut self, part: usize) -> Result<(), LinkError> {
        self.with(|connection, own| {
            let id = id_of(part);
            let mut command = redis::cmd("XPENDING");
            command.arg(&own.parts).arg(GROUP).arg(&id).arg(&id).arg(1);
            let pending: Vec<Pending> = command.query(connection)?;
            if pending.iter().any(|(_, consumer, ..)| *consumer == own.consumer) {
                own.claim(connection, &id, Duration::ZERO)?;
            }
            // What is worked on is not forgotten.
            for key in [&own.parts, &own.results] {
                redis::cmd("EXPIRE").arg(key).arg(EXPIRY).query::<Value>(connection)?;
            }
            Ok(())
        })
    }

    fn give(&mut self, part: usize, result: Option<&[u8]>) -> Result<(), LinkError> {
        self.with(|connection, own| {
            let mut all = redis::pipe();
            all.atomic();
            if let Some(message) = result {
                all.cmd("XADD").arg(&own.results).arg("MAXLEN").arg("~").arg(KEPT_RESULTS).arg("*");
                all.arg(FIELD).arg(message).ignore();
                all.cmd("EXPIRE").arg(&own.results).arg(EXPIRY).ignore();
            }
            all.cmd("XACK").arg(&own.parts).arg(GROUP).arg(id_of(part)).ignore();
            all.query::<()>(connection)
        })
    }

    fn results(&mut self) -> Result<Vec<Vec<u8>>, LinkError> {
        self.with(|connection, own| {
            let mut command = redis::cmd("XREAD");
            command.arg("COUNT").arg(MOST_RESULTS).arg("STREAMS").arg(&own.results).arg(&own.last);
            let reply: Option<StreamReadReply> = command.query(connection)?;
            let mut messages = Vec::new();
            for entry in reply.unwrap_or_default().keys.into_iter().flat_map(|stream| stream.ids) {
                own.last = entry.id;
                if let Some(Value::BulkString(message)) = entry.map.into_values().next() {
                    messages.push(message);
                }
            }
            Ok(messages)
        })
    }
}
